import StrataExpression
import StrataSQLite
import StrataSchema

/// Thrown where a statement over all objects meets one that a version refuses; the upgrade then goes object by object, which
/// finds out which one it is.
struct SetBasedRefusal: Error {}

/// One SQL statement that makes all objects of a model from the source's.
struct SetBasedStatement {
  /// SQLite's own bounds are 32,766 parameters and 1,000,000 bytes.
  private static let maximumParameters = 30_000
  private static let maximumBytes = 500_000

  private let insertion: SQLText
  /// Is 0 where no version refuses anything; nil where none could.
  private let check: SQLText?

  /// Nil where SQL cannot say what the versions do.
  init?(
    _ composed: ComposedModel, pipeline: ModelPipeline, source: TableLayout, target: Schema,
    functions: QueryFunctions
  ) {
    guard let old = pipeline.source,
      let index = source.schema.indexOfModel(named: old.name)
    else { return nil }
    let row: SQLText = "s"
    var translation = Translation(
      source, functions: functions, subject: row, subjectModel: index)
    var columns: [SQLText] = []
    for (property, node) in zip(pipeline.target.columnProperties, composed.columns) {
      let kind = property.codec(in: target).kind
      guard translation.fits(node, kind) else { return nil }
      columns.append(translation.value(node, as: kind))
    }
    // Not an index that has all columns that are read: its damage is none of the content.
    let table: SQLText = "source.\(name: old.name) AS s NOT INDEXED"
    let names = pipeline.target.columnProperties.map(\.name)
    insertion =
      """
      INSERT INTO main.\(name: pipeline.target.name) \
      (\(SQLText(trusted: SQL.identifiers(["_row"] + names)))) \
      SELECT \(SQLText.joined(["s.\"_row\""] + columns, by: ", ")) \
      FROM \(table) ORDER BY s."_row"
      """
    let tests = composed.checks.map { check -> SQLText in
      switch check {
      case .isNotNil(let node): "total((\(translation.value(node))) IS NULL)"
      // What fails ends the statement.
      case .doesNotFail(let node): "0 * count(\(translation.value(node)))"
      }
    }
    check = tests.isEmpty ? nil : "SELECT \(SQLText.joined(tests, by: " + ")) FROM \(table)"
    if translation.work.isTooMuch { return nil }
    for text in [insertion, check ?? ""] {
      guard text.values.count <= Self.maximumParameters, text.sql.utf8.count <= Self.maximumBytes
      else { return nil }
    }
  }

  /// - Throws: `SetBasedRefusal`, or what SQLite says of the file.
  func run(in database: Database) throws {
    do {
      if let check, let found = try database.rows(check.sql, check.values).first?.first,
        found != .real(0)
      {
        throw SetBasedRefusal()
      }
      try database.execute(insertion.sql, insertion.values)
    } catch let error as SQLiteError where error.isRefusal {
      throw SetBasedRefusal()
    }
  }
}

extension SQLiteError {
  /// Whether the statement met a value that it could not take, and not the machine's limits.
  fileprivate var isRefusal: Bool {
    [.error, .constraint, .mismatch].contains(primaryCode)
  }
}
