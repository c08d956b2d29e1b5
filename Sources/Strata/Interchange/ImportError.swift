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
