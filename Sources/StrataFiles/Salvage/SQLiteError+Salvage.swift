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
