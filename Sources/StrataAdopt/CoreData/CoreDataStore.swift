import Strata
package import StrataSQLite
import StrataSchema

/// What a SQLite store of Core Data or SwiftData says of itself.
package struct CoreDataStore {
  /// Columns of all tables that are read.
  private static let maximumColumns = 200_000

  /// One line of Z_PRIMARYKEY.
  struct Entity: Sendable {
    let number: Int64
    let name: String
    let parent: Int64
  }

  let entities: [Entity]
  /// Table → its columns with their declared types, in their order; names as they stand.
  let tables: [String: [(name: String, type: String)]]
  /// The model that the store keeps, where it keeps one that can be read.
  let cached: CoreDataModel?
  /// What the file says that its version is.
  let identifiers: [String]
  /// What the app kept in the metadata, each as JSON.
  let metadata: [(key: String, value: JSON)]
  private(set) var notes: [AdoptNote] = []

  package static func isOne(_ database: Database) throws -> Bool {
    try database.firstValue(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_METADATA'") != nil
  }

  package init(_ database: Database, path: String) throws {
    guard try Self.isOne(database),
      try database.firstValue("SELECT 1 FROM sqlite_schema WHERE name = 'Z_PRIMARYKEY'") != nil
    else {
      throw AdoptError(
        "'\(path)' is no Core Data store: it has no Z_METADATA and Z_PRIMARYKEY. 'adopt sqlite' reads any SQLite database"
      )
    }
    try SourceCheck.run(database, path: path)
    var tables: [String: [(name: String, type: String)]] = [:]
    let columns = try database.prepare(
      """
      SELECT t.name, c.name, upper(c.type) FROM pragma_table_list AS t \
      JOIN pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.type = 'table' \
      ORDER BY t.name, c.cid
      """)
    defer { columns.reset() }
    var count = 0
    while try columns.step() {
      count += 1
      guard count <= Self.maximumColumns else {
        throw AdoptError("'\(path)' has more than \(Self.maximumColumns) columns")
      }
      tables[columns.string(at: 0), default: []].append(
        (columns.string(at: 1), columns.string(at: 2)))
    }
    self.tables = tables
    var entities: [Entity] = []
    for row in try database.rows(
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT \(CoreDataMapping.maximumEntities + 1)"
    ) {
      guard let number = row[0].ifInteger, let name = row[1].ifText else { continue }
      entities.append(Entity(number: number, name: name, parent: row[2].ifInteger ?? 0))
    }
    guard entities.count <= CoreDataMapping.maximumEntities else {
      throw AdoptError("'\(path)' has more than \(CoreDataMapping.maximumEntities) entities")
    }
    self.entities = entities
    var cached: CoreDataModel?
    if tables["Z_MODELCACHE"] != nil,
      case .blob(let content)? = try database.firstValue("SELECT Z_CONTENT FROM Z_MODELCACHE")
    {
      cached = CachedModel.read(content).map { CoreDataModel($0) }
      if cached == nil {
        notes.append(
          AdoptNote(
            kind: .leftOut, entity: "", property: nil,
            reason:
              "the model that the store keeps of itself cannot be read: its tables say what it is"))
      }
    }
    self.cached = cached
    (identifiers, metadata) = try Self.metadata(database)
  }

  func columns(of table: String) -> Set<String> { Set((tables[table] ?? []).map(\.name)) }

  func number(of entity: String) -> Int64? { entities.first { $0.name == entity }?.number }

  // MARK: - Metadata

  /// Keys that Core Data keeps for itself.
  private static func isOwn(_ key: String) -> Bool { key.hasPrefix("NS") || key.hasPrefix("_NS") }

  private static func metadata(
    _ database: Database
  ) throws -> (identifiers: [String], metadata: [(key: String, value: JSON)]) {
    guard case .blob(let bytes)? = try database.firstValue("SELECT Z_PLIST FROM Z_METADATA"),
      let list = BinaryPropertyList(bytes), case .dictionary(let pairs) = list.objects[list.root]
    else { return ([], []) }
    let identifiers = list.elements(list.member(list.root, "NSStoreModelVersionIdentifiers"))
      .compactMap { list.string($0) }.filter { !$0.isEmpty }
    var found: [(key: String, value: JSON)] = []
    var room = maximumMetadata
    for pair in pairs {
      guard let key = list.string(pair.key), !isOwn(key) else { continue }
      found.append((key, json(list, pair.value, &room)))
    }
    return (identifiers, found.sorted { $0.key < $1.key })
  }

  /// Lists and dictionaries inside of one another that are read: a damaged list may lead in circles.
  private static let maximumDepth = 32
  /// Bytes of all values: a damaged list may hold one of them again and again.
  private static let maximumMetadata = 64 << 20
  /// What a value without text and data takes in memory, about.
  private static let bytesOfValue = 64

  /// A value that is too deep is null.
  ///
  /// - Parameter room: bytes that may still come.
  private static func json(
    _ list: BinaryPropertyList, _ index: Int, depth: Int = 0, _ room: inout Int
  ) -> JSON {
    switch list.objects[index] {
    case .string(let text): room -= text.utf8.count
    case .data(let range): room -= range.count
    default: break
    }
    room -= bytesOfValue
    guard room >= 0, depth < maximumDepth else { return .null }
    switch list.objects[index] {
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .real(let value): return JSONCoding.json(.double(value), as: .any)
    case .date(let value): return JSONCoding.json(.date(value), as: .any)
    case .string(let text): return .string(text)
    case .data(let range): return JSONCoding.json(.data(Array(list.bytes[range])), as: .any)
    case .uid, .null: return .null
    case .array(let all):
      var values: [JSON] = []
      for element in all where room > 0 {
        values.append(json(list, element, depth: depth + 1, &room))
      }
      return .array(values)
    case .dictionary(let pairs):
      var values: [(key: String, value: JSON)] = []
      for pair in pairs where room > 0 {
        guard let key = list.string(pair.key) else { continue }
        room -= key.utf8.count
        values.append((key, json(list, pair.value, depth: depth + 1, &room)))
      }
      return JSON(members: values)
    }
  }
}
