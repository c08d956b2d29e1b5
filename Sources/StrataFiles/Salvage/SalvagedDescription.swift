import Strata
import StrataSQLite
import StrataSchema

/// What a damaged file says of itself: facts that cannot be read are worked out from its schema, which has to be readable.
struct SalvagedDescription {
  let metadata: StrataMetadata
  let schema: Schema
  /// In sentences, the facts that were lost.
  let losses: [String]
  /// Above every object that can be there.
  let nextRow: Int64

  /// - Throws: `MetadataError`, `SchemaFormatError` or `FileDamage` where the schema cannot be read or cannot be, or a newer program
  ///   wrote the file.
  init?(of source: Database) throws {
    if SalvagedTable.columns(of: LayoutNames.metadata, in: source).isEmpty {
      // What SQLite cannot read at all is told here, and not for a file of another program.
      let isThere = try source.firstValue(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
        .text(LayoutNames.metadata))
      guard isThere != nil else { return nil }
      throw FileDamage("the definition of \(LayoutNames.metadata) cannot be read")
    }
    let read = Self.facts(of: source)
    // A pointer that leads out of its page would give what happens to stand in memory: SQLite refuses such a page of objects, and its other cells
    // are read past SQLite. Before a first look at those pages: which it has in memory it does not look at anew.
    try source.setPragma("cell_size_check", true)
    if let layout = read[.layout]?.ifInteger, layout > TableLayout.version {
      throw MetadataError.newerLayout(Int(clamping: layout))
    }
    guard let text = read[.schemaText]?.ifText else {
      throw MetadataError.unreadable(key: StrataMetadata.Key.schemaText.rawValue)
    }
    schema = try Schema(json: try JSON.parse(text))
    let worked = StrataMetadata(
      schema: schema, lineage: Lineage(beginning: schema), chain: nil,
      nextRow: Self.numberAbove(schema, in: source),
      transaction: Self.newestTransaction(in: source))
    var facts: [String: SQLiteValue] = [:]
    for (key, value) in worked.facts { facts[key.rawValue] = value }
    var lost: [StrataMetadata.Key] = []
    for (key, value) in worked.facts {
      facts[key.rawValue] = read[key]
      if read[key] == nil || !Self.isSound(key, facts, of: schema) {
        facts[key.rawValue] = value
        lost.append(key)
      }
    }
    let upgrades = StrataMetadata.Key.upgrades
    facts[upgrades.rawValue] = read[upgrades]
    if !Self.isSound(upgrades, facts, of: schema) { facts[upgrades.rawValue] = nil }
    metadata = try StrataMetadata(facts: facts)
    // Refuses a schema that no compiler would have written.
    _ = try StoredSchema(metadata: metadata)
    losses = lost.map(Self.sentence)
    nextRow = metadata.nextRow
  }

  /// Each is read by itself: what is damaged may be the page of another one.
  private static func facts(of source: Database) -> [StrataMetadata.Key: SQLiteValue] {
    var facts: [StrataMetadata.Key: SQLiteValue] = [:]
    for key in StrataMetadata.Key.allCases {
      let row = try? source.rows(
        "SELECT \"value\" FROM \(SQL.identifier(LayoutNames.metadata)) WHERE \"key\" = ?",
        .text(key.rawValue))
      if let value = row?.first?.first { facts[key] = value }
    }
    return facts
  }

  /// Whether a fact can be, beside a schema.
  private static func isSound(
    _ key: StrataMetadata.Key, _ facts: [String: SQLiteValue], of schema: Schema
  ) -> Bool {
    guard let metadata = try? StrataMetadata(facts: facts) else { return false }
    switch key {
    case .schemaName: return metadata.schemaName == schema.name
    case .version: return metadata.version == schema.version
    case .shape: return metadata.shape == schema.shape
    case .lineageText:
      guard let lineage = try? metadata.lineage() else { return false }
      return schema.storedPaths.allSatisfy {
        lineage.origins[$0].map { $0.version <= schema.version } ?? false
      }
    case .layout, .chain, .schemaText, .nextRow, .transaction, .upgrades: return true
    }
  }

  private static func sentence(_ key: StrataMetadata.Key) -> String {
    let fact = "\(key.rawValue) in _strata, the file's description of itself:"
    return switch key {
    case .nextRow:
      "\(fact) it is above all objects that were saved, and numbers of deleted ones may be used again"
    case .lineageText:
      "\(fact) it begins with this version, and what was renamed before is not known any more"
    case .chain: "\(fact) the version is recognised by its number and its shape"
    case .layout, .schemaName, .version, .shape, .schemaText, .transaction, .upgrades:
      "\(fact) it is worked out from the rest of the file"
    }
  }

  /// The number after the highest that can be read; where none can, the highest that there can be.
  private static func numberAbove(_ schema: Schema, in source: Database) -> Int64 {
    var next: Int64 = 1
    for model in schema.storedModels {
      do {
        let highest = try source.firstValue(
          "SELECT max(_row) FROM \(SQL.identifier(model.name)) NOT INDEXED")
        next = max(next, min(highest?.ifInteger ?? 0, StrataMetadata.maximumCount - 1) + 1)
      } catch {
        if SalvagedTable.columns(of: model.name, in: source).contains(LayoutNames.row) {
          return StrataMetadata.maximumCount
        }
      }
    }
    return next
  }

  private static func newestTransaction(in source: Database) -> Int64 {
    let newest = try? source.firstValue(
      "SELECT max(\"transaction\") FROM \(SQL.identifier(LayoutNames.changes))")
    return max(0, min(newest?.ifInteger ?? 0, StrataMetadata.maximumCount))
  }
}
