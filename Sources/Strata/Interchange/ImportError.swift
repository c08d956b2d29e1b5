import StrataSQLite

/// What is wrong with a line of an import. Nothing of the import was stored.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the line, counted over all that were read, from 1.
  package let line: Int
  package let message: String

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
    default: self.init(.inputOutput, "\(path): \(error)")
    }
  }
}
