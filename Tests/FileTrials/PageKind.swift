import StrataSQLite

/// How the pages of a trial's file are kept.
enum PageKind: String, CaseIterable {
  case plain
  case checksums
  case aesGCM = "aes-gcm"
  case sqlCipher = "sqlcipher"

  private static let key = FileKey.bytes((0..<32).map { $0 &* 7 &+ 3 })

  var isEncrypted: Bool { self == .aesGCM || self == .sqlCipher }

  /// The VFS of new files; nil for the system's.
  var vfs: String? {
    switch self {
    case .plain: nil
    case .checksums: ChecksummedPages.vfs()
    case .aesGCM: FileCipher(key: Self.key, kind: .aesGCM).vfs()
    case .sqlCipher: FileCipher(key: Self.key, kind: .sqlCipher).vfs()
    }
  }

  /// What a command with the key would set for the process; of plain files nothing.
  func use() {
    Database.processDefaultVFS = isEncrypted ? FileCipher(key: Self.key).vfs() : nil
  }
}
