import StrataSQLite
import StrataSchema

/// How much SQL is written for one condition or value.
///
/// Some of what stands in an expression stands several times in its SQL: the value of a `BETWEEN`, a fraction that is compared, a
/// place from the end. In each other these multiply, so that a condition of a hundred letters could fill the memory.
final class TranslationWork {
  /// Of everything that is put together, in bytes, without the values of lists.
  static let maximumBytes = 2_000_000
  /// What `?, ` takes for each value: a list may be long.
  private static let bytesOfValue = 3
  /// What is written to compare a value with one element of a list, where that is a test of its own.
  private static let bytesOfElement = 200
  /// What stands in each other is no longer.
  private static let shortList = 100

  private var bytes = 0

  var isTooMuch: Bool { bytes > Self.maximumBytes }

  /// Makes room for the elements of a long list, which are many and not in each other.
  func allow(elements: Int) {
    bytes -= Self.bytesOfElement * max(0, elements - Self.shortList)
  }

  func add(_ text: SQLText) {
    bytes += max(0, text.sql.utf8.count - Self.bytesOfValue * text.values.count)
  }
}

extension SQLText {
  private static let unknownFunction = "strata_too_long"

  /// What stands in the place of SQL that is not written any more. SQLite refuses to compile it.
  static var tooLong: SQLText { SQLText(trusted: unknownFunction + "()") }

  static var tooLongProblem: String {
    "is nested so that its SQL would have more than \(sized(TranslationWork.maximumBytes))"
  }

  /// What was wrong with SQL that SQLite did not compile or run.
  static func problem(of error: SQLiteError) -> String {
    isTooLong(error) ? "it \(tooLongProblem)" : error.message
  }

  /// Whether an error says that SQL was not written to its end.
  static func isTooLong(_ error: SQLiteError) -> Bool { error.message.contains(unknownFunction) }
}
