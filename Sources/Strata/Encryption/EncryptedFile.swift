import StrataSQLite

/// What the bytes of a file tell of its encryption without its key.
package enum EncryptedFile {
  /// Bytes that are looked at.
  private static let sampleSize = 4096

  /// Whether the file is encrypted, or looks like nothing else.
  package static func isEncrypted(_ path: String) -> Bool {
    guard let start = Database.firstBytes(of: path, count: sampleSize),
      let size = try? POSIXFiles().size(of: path)
    else { return false }
    return FileCipher.looksEncrypted(start, size: size)
  }
}

extension MigrationError.Kind {
  init(_ problem: PageProblem) {
    switch problem {
    case .wrongKey: self = .wrongKey
    case .notEncrypted: self = .fileNotEncrypted
    case .otherCipher: self = .otherCipher
    case .unknownScheme: self = .unknownEncryption
    case .damaged: self = .fileDamaged
    case .unreadable: self = .inputOutput
    }
  }

  /// Whether the file is encrypted, and that is why it was not read.
  package var isOfEncryptedFile: Bool {
    switch self {
    case .fileEncrypted, .wrongKey, .otherCipher, .unknownEncryption: true
    default: false
    }
  }
}

extension MigrationError {
  init(_ problem: PageProblem, path: String) {
    let sentence =
      switch problem {
      case .wrongKey:
        "\(path) was not opened: the key is not the one that it was encrypted with, or it is no encrypted database."
      case .notEncrypted:
        "\(path) was not opened: a key was given, and the file is not encrypted. Encrypt it with `strata rekey`, or leave the key out."
      case .otherCipher:
        "\(path) was not opened: it is encrypted with another cipher than was asked for. Name its own, or change it with `strata rekey`."
      case .unknownScheme:
        "\(path) was not opened: a newer program encrypted it in a way that this one does not know. Use that program."
      case .unreadable: "\(path) cannot be read."
      case .damaged:
        "\(path) is damaged: a page of it is not what was written. \(SQLiteError.helpForDamage) It was not changed."
      }
    self.init(Kind(problem), sentence)
  }
}
