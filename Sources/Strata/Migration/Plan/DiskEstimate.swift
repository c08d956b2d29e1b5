import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// How much disk an upgrade takes at the most, worked out before it begins from the size of the file, the number of
/// objects and what each of them gains on the way.
struct DiskEstimate {
  /// How long a value may be that a block or an expression makes: as long as a whole object is now, within these bounds.
  private static let bytesOfMadeValue = 16...64
  /// A row of a collection's table with its entries in two indexes.
  private static let bytesOfElement = 64
  private static let bytesOfIndexEntry = 24
  /// For the tables and indexes themselves, and `_strata`.
  private static let fixedBytes = 1 << 20
  /// Each page in a log has a header of 24 bytes.
  private static let pagesPerHeaderPage = 170

  let route: UpgradeRoute
  /// Objects by model of the file's own version.
  let counts: [String: Int]
  /// Bytes of the file, and how many of them hold something.
  let fileSize: Int
  let usedSize: Int
  /// Indexes by model of the first version, and of the last.
  private let indexesBefore: [String: Int]
  private let indexesAfter: [String: Int]

  init(route: UpgradeRoute, stored: StoredSchema, database: Database) throws {
    self.route = route
    counts = try database.objectCounts(of: stored.schema)
    (fileSize, usedSize) = try database.sizes()
    indexesBefore = Self.indexes(of: route.source.schema)
    indexesAfter = Self.indexes(of: route.target.schema)
  }

  /// Objects of the file.
  var objects: Int { counts.values.reduce(0, +) }

  /// Bytes of the new content, rounded up: what the steps take away does not count.
  var contentSize: Int {
    usedSize + Self.fixedBytes
      + route.source.schema.storedModels.reduce(0) { sum, model in
        sum + (counts[model.name] ?? 0) * bytesGained(by: model)
      }
  }

  /// Bytes that have to be free.
  ///
  /// - Parameter isWrittenBack: whether the content goes into the old file in the end, by way of its log.
  func diskNeeded(isWrittenBack: Bool) -> Int {
    // Between two passes there are the content that is read and the one that is written.
    let building = (route.passes.count > 1 || route.migrationBlock != nil ? 2 : 1) * contentSize
    guard isWrittenBack else { return building }
    let log = contentSize + contentSize / Self.pagesPerHeaderPage
    return max(building, contentSize + log + max(0, contentSize - fileSize))
  }

  private var bytesOfMadeValue: Int {
    let bounds = Self.bytesOfMadeValue
    return min(max(usedSize / max(1, objects), bounds.lowerBound), bounds.upperBound)
  }

  /// What one object gains in all versions together.
  func bytesGained(by source: Model) -> Int {
    var name: String? = source.name
    var bytes = 0
    for pass in route.passes {
      for transition in pass.transitions {
        guard let current = name else { return bytes }
        guard let step = transition.model(continuing: current) else {
          name = nil
          continue
        }
        name = step.target.name
        if transition.step.swiftModels.contains(step.target.name) || route.migrationBlock != nil {
          bytes += bytesOfMadeValue
        }
        for property in step.properties { bytes += bytesGained(by: property) }
      }
    }
    guard let name else { return bytes }
    return bytes + Self.bytesOfIndexEntry * newIndexes(of: source.name, as: name)
  }

  /// Indexes of the last version that the first one does not have, whatever the columns are called.
  private func newIndexes(of old: String, as new: String) -> Int {
    max(0, (indexesAfter[new] ?? 0) - (indexesBefore[old] ?? 0))
  }

  private static func indexes(of schema: Schema) -> [String: Int] {
    TableLayout(schema).models.reduce(into: [:]) { $0[$1.model.name] = $1.indexes.count }
  }

  private func bytesGained(by property: PropertyTransition) -> Int {
    switch property.origin {
    case .copied(_, .none): 0
    case .copied(_, .scalar): 9
    case .copied: Self.bytesOfElement
    case .constant(let value): 1 + Self.size(of: value)
    case .generated(.now): 9
    case .generated: 17
    case .expression:
      property.property.type.isCollection ? Self.bytesOfElement : size(of: property.property)
    }
  }

  private func size(of property: Property?) -> Int {
    switch property?.type.valueType?.base {
    case .scalar(.string)?, .scalar(.data)?, .scalar(.any)?, nil: bytesOfMadeValue
    case .scalar(.uuid)?, .scalar(.decimal)?: 17
    default: 9
    }
  }

  private static func size(of value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .uuid, .decimal: 16
    default: 8
    }
  }
}

extension Database {
  /// Bytes of the file, and how many of them hold something.
  func sizes() throws -> (file: Int, used: Int) {
    let pageSize = Int(try pragma("page_size").ifInteger ?? Database.strataPageSize)
    let pages = Int(try pragma("page_count").ifInteger ?? 0)
    let free = Int(try pragma("freelist_count").ifInteger ?? 0)
    return (pages * pageSize, max(0, pages - free) * pageSize)
  }

  /// Objects by model.
  func objectCounts(of schema: Schema, in database: String = "main") throws -> [String: Int] {
    try schema.storedModels.reduce(into: [:]) { counts, model in
      counts[model.name] = try count(of: "\(database).\(SQL.identifier(model.name))")
    }
  }

  /// Rows of a table, which is quoted.
  package func count(of table: String) throws -> Int {
    Int(try firstValue("SELECT count(*) FROM \(table)")?.ifInteger ?? 0)
  }

  /// Bytes of every table with its indexes; empty where SQLite was built without `dbstat`.
  func tableSizes() -> [String: Int] {
    let rows = try? rows(
      """
      SELECT s.tbl_name, sum(d.pgsize) FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name \
      WHERE d.aggregate GROUP BY s.tbl_name
      """)
    return (rows ?? []).reduce(into: [:]) { sizes, row in
      if let name = row[0].ifText { sizes[name] = Int(row[1].ifInteger ?? 0) }
    }
  }
}
