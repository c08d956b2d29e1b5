import StrataSQLite
import StrataSchema

/// The file that a pass reads, as another connection can open it.
struct PassSource {
  /// Kibibytes of pages that the connection keeps: it reads each page once.
  private static let cacheSize: Int64 = 512

  /// A path, or a URI that says how to read it.
  let attachment: String
  let vfs: String?
  /// Throws where another file stands in its place.
  var check: () throws -> Void = {}

  func open() throws -> Database {
    try check()
    let database = try Database(path: attachment, mode: .readOnly, vfs: vfs, isURI: true)
    try database.setPragma("cache_size", .integer(-Self.cacheSize))
    return database
  }
}

/// How the objects of one model get from the file that a pass reads into the one that it writes.
///
/// Where there are many, what is inserted is inserted by a thread of its own while the next objects are read and go through their
/// blocks on the caller's thread, which takes two connections. Where there are few, starting a thread costs more than it saves.
struct ModelTransfer {
  /// Below it, one connection does both.
  private static let fewestObjectsForThread = 10_000

  let reader: TableReader
  let writer: TableWriter
  private let connection: Database?

  /// - Parameters:
  ///   - database: the connection that has the result as its main database and the source attached as `source`.
  ///   - file: the source for a connection of its own; nil where everything is to happen on one thread.
  init(
    of old: Model, in source: Schema, to new: Model, in target: Schema, database: Database,
    file: PassSource?, objects: Int
  ) throws {
    let fewest = EngineSwitches.current.fewestObjectsForThread ?? Self.fewestObjectsForThread
    connection = objects >= fewest ? try file?.open() : nil
    if let connection {
      reader = try TableReader(model: old, schema: source, database: connection, in: "main")
    } else {
      reader = try TableReader(model: old, schema: source, database: database, in: "source")
    }
    writer = try TableWriter(
      model: new, schema: target, database: database, isInBackground: connection != nil)
  }

  /// Lets both connections go, whether or not everything is inserted.
  func end() {
    writer.end()
    reader.statement.reset()
    connection?.close()
  }
}
