import Strata
import StrataSQLite
import StrataSchema

/// Reads a model's objects in identity order and hashes each of them.
final class DigestReader {
  private let statement: Statement
  private let database: Database
  private let start: ObjectHasher
  private let parts: [Part]
  private var buffer: [SIMD8<UInt32>] = []
  private(set) var identity: Int64 = 0

  /// Where the elements of a large set or map are sorted.
  private static let elements = "temp.\"_strata_elements\""
  /// Elements of one collection that are kept in memory at most.
  private static let maximumBuffered = 4096

  private struct Part {
    enum Source {
      case column(Int, ColumnCodec)
      case collection(CollectionCursor, isOrdered: Bool)
    }

    /// The property's name, as it is hashed.
    let name: [UInt8]
    let isKey: Bool
    let source: Source
  }

  init(model: Model, schema: Schema, database: Database, in name: String) throws {
    self.database = database
    start = ObjectHasher(model: model.name)
    var columns = ["_row"]
    parts = try model.storedProperties.map { property in
      let source: Part.Source
      if property.type.isCollection {
        var isOrdered = false
        if case .list = property.type { isOrdered = true }
        source = .collection(
          try CollectionCursor(
            property: property, model: model, schema: schema, database: database, name),
          isOrdered: isOrdered)
      } else {
        source = .column(columns.count, property.codec(in: schema))
        columns.append(property.name)
      }
      return Part(
        name: ObjectHasher.bytes(of: property.name),
        isKey: model.primaryKey.contains(property.name), source: source)
    }
    statement = try database.prepare(
      """
      SELECT \(SQL.identifiers(columns)) FROM \(SQL.identifier(model.name, in: name)) ORDER BY _row
      """)
  }

  /// Makes the temporary table that readers share.
  static func createTable(in database: Database) throws {
    try database.execute("CREATE TABLE \(elements) (digest BLOB)")
  }

  static func dropTable(in database: Database) {
    // What is left in a temporary file goes with the connection.
    try? database.execute("DROP TABLE \(elements)")
  }

  func next() throws -> Bool {
    guard try statement.step() else { return false }
    identity = statement.integer(at: 0)
    return true
  }

  // MARK: - Hashing

  /// The digest of all properties.
  ///
  /// - Parameter colours: what links lead to; nil where links are only counted.
  func digest(_ colours: DigestColours?) throws -> SIMD8<UInt32> {
    var hasher = start
    for part in parts {
      hasher.add(bytes: part.name)
      switch part.source {
      case .column(let column, let codec): try add(column, codec, to: &hasher, colours)
      case .collection(let cursor, let isOrdered):
        try add(cursor, isOrdered: isOrdered, to: &hasher, colours)
      }
    }
    return hasher.finish()
  }

  /// The digest of the primary key alone.
  func keyDigest() throws -> SIMD8<UInt32> {
    var hasher = start
    for part in parts where part.isKey {
      hasher.add(bytes: part.name)
      if case .column(let column, let codec) = part.source {
        hasher.add(try codec.read(statement, at: column))
      }
    }
    return hasher.finish()
  }

  private func add(
    _ column: Int, _ codec: ColumnCodec, to hasher: inout ObjectHasher, _ colours: DigestColours?
  ) throws {
    if codec.kind == .string, statement.storageClass(at: column) == .text {
      return statement.withText(at: column) { hasher.add(text: $0) }
    }
    try add(try codec.read(statement, at: column), to: &hasher, colours)
  }

  private func add(
    _ value: Value, to hasher: inout ObjectHasher, _ colours: DigestColours?
  ) throws {
    switch value {
    case .link(let identity), .object(_, let identity):
      hasher.add(byte: 0xFE)
      if let colour = try colours?.colour(of: identity) { hasher.add(colour.high, colour.low) }
    default: hasher.add(value)
    }
  }

  // MARK: - Collections

  private func add(
    _ cursor: CollectionCursor, isOrdered: Bool, to hasher: inout ObjectHasher,
    _ colours: DigestColours?
  ) throws {
    try cursor.begin(identity)
    buffer.removeAll(keepingCapacity: true)
    while try cursor.next() {
      buffer.append(try digest(of: cursor, colours))
      guard buffer.count < Self.maximumBuffered else {
        return isOrdered
          ? try addLongList(cursor, to: &hasher, colours)
          : try addLargeSet(cursor, to: &hasher, colours)
      }
    }
    if !isOrdered { buffer.sort(by: ObjectHasher.precedes) }
    hasher.add(UInt64(buffer.count))
    for digest in buffer { hasher.add(digest: digest) }
  }

  private func digest(
    of cursor: CollectionCursor, _ colours: DigestColours?
  ) throws -> SIMD8<UInt32> {
    var hasher = ObjectHasher(model: cursor.key ?? "")
    try add(try cursor.value(), to: &hasher, colours)
    return hasher.finish()
  }

  /// A list's elements follow their number, which has to be asked for.
  private func addLongList(
    _ cursor: CollectionCursor, to hasher: inout ObjectHasher, _ colours: DigestColours?
  ) throws {
    hasher.add(UInt64(try cursor.count()))
    for digest in buffer { hasher.add(digest: digest) }
    while try cursor.next() { hasher.add(digest: try digest(of: cursor, colours)) }
  }

  /// The elements of sets and maps are hashed in the order of their digests: SQLite sorts them.
  private func addLargeSet(
    _ cursor: CollectionCursor, to hasher: inout ObjectHasher, _ colours: DigestColours?
  ) throws {
    let table = Self.elements
    let insert = try database.prepare("INSERT INTO \(table) VALUES (?)")
    func keep(_ digest: SIMD8<UInt32>) throws {
      try insert.bind(ObjectHasher.bytes(of: digest), at: 1)
      try insert.run()
    }
    for digest in buffer { try keep(digest) }
    var count = UInt64(buffer.count)
    while try cursor.next() {
      try keep(try digest(of: cursor, colours))
      count += 1
    }
    hasher.add(count)
    let sorted = try database.prepare("SELECT digest FROM \(table) ORDER BY digest")
    while try sorted.step() { sorted.withBlob(at: 0) { hasher.add(bytes: $0) } }
    sorted.reset()
    try database.execute("DELETE FROM \(table)")
  }
}
