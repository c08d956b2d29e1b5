import StrataSQLite

/// What is wrong with a line of an import. Nothing of the import was stored.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the line, counted over all that were read, from 1.
  package let line: Int
  package let message: String
  /// Of the catalogue, where the mistake stands there.
  package var code: String?

  package var description: String { message }
}

extension StoreError {
  /// Whether a value is what is wrong, and not the file.
  var isOfValue: Bool {
    switch self {
    case .duplicatePrimaryKey, .notUnique, .missingRequired, .wrongType: true
    default: false
    }
  }

  /// What is said of a line: neither what is to be said in Swift, nor a full stop.
  var reasonOfLine: String {
    // A line that names its key changes the object that has it.
    if case .duplicatePrimaryKey(let model, let key) = self {
      return
        "there is a \(model) with the primary key \(key) already, and the line does not name its key"
    }
    let sentence = description
    return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }
}

extension MigrationError {
  /// What a store could not do for an import.
  init(importing error: StoreError, path: String) {
    switch error {
    case .migrationFailed(let error): self = error
    case .busy: self.init(.busy, error.description)
    case .diskFull: self.init(.diskFull, error.description)
    case .readOnly: self.init(.readOnly, error.description)
    case .corrupt: self.init(.fileDamaged, error.description)
    // The file was opened without a schema of the program's: it had another one by the time that it was written.
    case .fileIsNewer, .needsMigration:
      self = .busy(
        path,
        "\(path) was upgraded or taken back by another process at this moment. Try again.")
    case .fileAccess(_, StoreError.isReplaced):
      self = .busy(path, "\(path) was written anew by another process at this moment. Try again.")
    // It says what becomes of the log that the old file has left.
    case .fileAccess where error.isOfReplacedFile: self = .busy(path, error.description)
    default:
      let text = error.description
      let isNamed = text.contains(FilePaths.name(of: path))
      self.init(.inputOutput, isNamed ? text : "\(path): \(text)")
    }
  }
}
