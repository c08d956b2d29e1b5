import StrataSchema

/// What a page shows: objects of models, or rows of tables.
protocol PageContent: AnyObject {
  /// Goes up whenever anything may have changed.
  var change: Int { get }
  /// Takes what other processes have written.
  func refresh() throws
  /// Lets go of what the last answer was read of, so that the file need not keep it.
  func rest()
  /// The name and version of the schema; nil where the file has none.
  var description: (schema: String, version: Int)? { get }
  /// What the page says of the content beside why it is read-only; nil for nothing.
  var note: String? { get }
  /// Whether conditions of the query language can be asked.
  var takesConditions: Bool { get }
  /// The models with the number of their objects; nil where counting would take longer than the patience.
  func models(within patience: Duration?) throws -> [JSON]
  /// The one that a page shows first.
  func firstModel() throws -> String?
  /// Some objects, and how many there are in all where that is known soon.
  func page(_ query: RowQuery, from start: Int, count: Int) throws -> JSON
  /// How many objects a query finds, however long that takes.
  func total(_ query: RowQuery) throws -> Int
  func columns(ofModel name: String) throws -> JSON
  func describe(_ name: String, _ identity: Int64) throws -> JSON
  /// - Parameter isWhole: whether texts come whole, up to `BrowsedContent.maximumValue` characters.
  func elements(
    _ name: String, _ identity: Int64, _ propertyName: String, from start: Int, count: Int,
    isWhole: Bool
  ) throws -> JSON
  func value(_ name: String, _ identity: Int64, _ propertyName: String) throws -> JSON
  /// - Parameter place: that of an element of a collection; nil for the value of a property.
  func data(
    _ name: String, _ identity: Int64, _ propertyName: String, at place: Int?
  ) throws -> [UInt8]?
  /// A selection as a file, of one state of the content whatever is written meanwhile.
  ///
  /// - Returns: What gives one piece after the other, and nil behind the last.
  /// - Throws: What is wrong with the query.
  func export(_ query: RowQuery, as format: ExportFormat) throws -> () throws -> [UInt8]?
}

enum ExportFormat: String {
  case jsonLines = "jsonl"
  case csv
}
