package import Strata
package import StrataSQLite
import StrataSchema

/// What is said of a SQLite file of another program that is damaged, or breaks what its own tables say: the file is named, and what
/// can be done. What was made of it so far is gone when the sentence is read.
package enum SourceDamage {
  /// What makes a whole file of what a damaged one still holds.
  private static let help =
    "make a copy of what it holds, 'sqlite3 OLD .recover | sqlite3 NEW', and adopt that"
  /// The same where its tables can be read, and an index of them is not what they hold. A copy of the file alone would lack its log.
  private static let helpForIndex =
    "make its indexes anew in a copy, 'sqlite3 OLD \".backup NEW\"' and 'sqlite3 NEW REINDEX', and adopt that"

  /// What can be done where two readings of one file do not agree.
  package static let helpForDifference =
    "Where 'PRAGMA integrity_check' finds something in it, it is damaged: \(help). Else please report this"

  /// The same with another way out than files of this package have, which `salvage` reads.
  package static func error(_ error: MigrationError) -> MigrationError {
    MigrationError(
      error.kind,
      error.description.replacing(
        SQLiteError.helpForDamage, with: "Restore it from a backup, or \(help)."))
  }

  /// - Parameter isOfIndex: whether nothing but an index is wrong.
  static func error(_ path: String, _ finding: String, isOfIndex: Bool = false) -> AdoptError {
    let help = isOfIndex ? helpForIndex : help
    return AdoptError("'\(path)' is damaged: \(finding). Restore it from a backup, or \(help)")
  }

  /// Rows that a uniqueness of their table does not allow. What makes a new file of a damaged one would leave some of them out.
  static func contradiction(_ path: String, _ finding: String) -> AdoptError {
    AdoptError(
      "'\(path)' breaks what its own tables say (\(finding)). Change the rows in a copy, and adopt that"
    )
  }

  /// Rows that one reading found and another one did not.
  static func error(_ path: String, _ table: String, counted rows: Int, read: Int) -> AdoptError {
    error(
      path,
      "'\(table)' has \(counted(rows, "row")) where they are counted, and \(read) where they are read"
    )
  }

  /// What an answer of SQLite says about the file whose rows were read and written.
  ///
  /// - Returns: nil where it is about something else, as the disk.
  package static func error(_ path: String, _ error: SQLiteError) -> AdoptError? {
    switch error.primaryCode {
    case .corrupt: self.error(path, "SQLite cannot read all of it (\(error.message))")
    case .constraint:
      AdoptError(
        "\(contradiction(path, "SQLite: \(error.message)")). Where 'PRAGMA integrity_check' finds nothing in it, please report this with its schema"
      )
    default: nil
    }
  }
}
