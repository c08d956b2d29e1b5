import Strata
import StrataSQLite

extension SQLiteError {
  /// A row that does not stand where its key says.
  static var outOfOrder: SQLiteError {
    SQLiteError(code: PrimaryCode.corrupt.rawValue, message: "rows are out of order")
  }

  /// Whether the bytes of the file are to blame.
  var isOfDamage: Bool {
    primaryCode == .corrupt || primaryCode == .notADatabase || primaryCode == .ioError
  }
}

/// An error of the new file, which says nothing of the damaged one.
struct WritingFailure: Error {
  let error: SQLiteError

  /// Runs what uses the new file alone while the damaged one is read.
  static func marked<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.primaryCode != .interrupted {
      throw WritingFailure(error: error)
    }
  }
}
