import Strata
import StrataSQLite
import StrataSchema

/// What another program might do to a file of the newest version before it is taken back.
enum WayBackEdit: CaseIterable {
  /// An object gets all values of another one, and one is deleted.
  case wholeObjects
  /// Each property is changed in one object, and most objects in one property.
  case singleValues
  /// Collections lose elements, or get those of another object.
  case collections
  /// New objects.
  case newObjects

  /// Objects of each model that are looked at.
  private static let maximumObjects = 64
  /// New objects of each model.
  private static let maximumCreated = 2

  /// - Returns: whether an app could have written what the file holds now.
  func apply(to database: Database, _ schema: Schema) throws -> Bool {
    for model in schema.storedModels {
      let rows = try database.rows(
        "SELECT _row FROM \(SQL.identifier(model.name)) ORDER BY _row LIMIT \(Self.maximumObjects)"
      ).compactMap { $0[0].ifInteger }
      guard rows.count > 1 else { continue }
      switch self {
      case .wholeObjects: try exchange(model, rows, database, schema)
      case .singleValues: try changeSingleValues(model, rows, database, schema)
      case .collections: try changeCollections(model, rows, database, schema)
      case .newObjects: try create(model, rows, database, schema)
      }
    }
    do {
      try VersionCheck(ofStepsIn: database, schema: schema).run()
      return true
    } catch let error as MigrationError where error.isRefusal {
      return false
    }
  }

  /// Its columns, but for what has to be unique or owned.
  private static func freeColumns(_ model: Model, _ schema: Schema) -> [String] {
    let keys = Set(model.uniqueKeys.flatMap { $0 })
    return model.columnProperties
      .filter { !keys.contains($0.name) && !isOwned($0, schema) }
      .map { SQL.identifier($0.name) }
  }

  private static func isOwned(_ property: Property, _ schema: Schema) -> Bool {
    property.type.linkedModel.flatMap(schema.model(named:))?.isEmbedded ?? false
  }

  private func exchange(
    _ model: Model, _ rows: [Int64], _ database: Database, _ schema: Schema
  ) throws {
    let table = SQL.identifier(model.name)
    for column in Self.freeColumns(model, schema) {
      try database.execute(
        """
        UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) ORDER BY _row DESC LIMIT 1) \
        WHERE _row = ?
        """, .integer(rows[0]))
    }
    guard !model.isEmbedded else { return }
    try Self.unlessRefused(database) {
      try database.execute("DELETE FROM \(table) WHERE _row = ?", .integer(rows[1]))
    }
  }

  private func changeSingleValues(
    _ model: Model, _ rows: [Int64], _ database: Database, _ schema: Schema
  ) throws {
    let table = SQL.identifier(model.name)
    for (number, column) in Self.freeColumns(model, schema).enumerated() {
      let changed = rows[number % rows.count]
      // Another one, also of two.
      let other = rows[(number + 1 + (rows.count - 1) / 2) % rows.count]
      try database.execute(
        "UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) WHERE _row = ?) WHERE _row = ?",
        .integer(other), .integer(changed))
    }
  }

  private func changeCollections(
    _ model: Model, _ rows: [Int64], _ database: Database, _ schema: Schema
  ) throws {
    for property in model.storedProperties
    where property.type.isCollection && !Self.isOwned(property, schema) {
      let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
      // By what an element is found in its collection.
      let place = if case .set = property.type { "value" } else { "_index" }
      let copied = place == "value" ? place : "\(place), value"
      for (index, row) in rows.enumerated() {
        switch index % 3 {
        case 0:
          try database.execute(
            """
            DELETE FROM \(table) WHERE _owner = ?1 \
            AND \(place) = (SELECT min(\(place)) FROM \(table) WHERE _owner = ?1)
            """, .integer(row))
        case 1:
          let other = rows[(index + 1) % rows.count]
          try database.execute("DELETE FROM \(table) WHERE _owner = ?", .integer(row))
          try database.execute(
            "INSERT INTO \(table) (_owner, \(copied)) SELECT ?, \(copied) FROM \(table) WHERE _owner = ?",
            .integer(row), .integer(other))
        default: break
        }
      }
    }
  }

  /// Copies of objects under new numbers, without collections. Where a model has keys, or owns what it cannot be without, it stays.
  private func create(
    _ model: Model, _ rows: [Int64], _ database: Database, _ schema: Schema
  ) throws {
    guard !model.isEmbedded, model.uniqueKeys.isEmpty,
      !model.columnProperties.contains(where: { Self.isOwned($0, schema) && $0.isRequiredColumn })
    else { return }
    var number = try StrataMetadata.nextRow(of: database, schema: schema)
    guard number < StrataMetadata.maximumCount - Int64(Self.maximumCreated) else { return }
    let table = SQL.identifier(model.name)
    let columns = Self.freeColumns(model, schema)
    let names = (["_row"] + columns).joined(separator: ", ")
    let values = (["?"] + columns).joined(separator: ", ")
    for row in rows.prefix(Self.maximumCreated) {
      try database.execute(
        "INSERT INTO \(table) (\(names)) SELECT \(values) FROM \(table) WHERE _row = ?",
        .integer(number), .integer(row))
      number += 1
    }
    try StrataMetadata.write(.integer(number), for: .nextRow, to: database)
  }

  private static func unlessRefused(_ database: Database, _ body: () throws -> Void) throws {
    try database.begin()
    do {
      try body()
      try database.commit()
    } catch let error as SQLiteError
      where error.primaryCode == .constraint || error.isOfTooLongChain
    {
      // Its place is asked for, or more goes with it than SQLite follows.
      try database.rollback()
    }
  }
}
