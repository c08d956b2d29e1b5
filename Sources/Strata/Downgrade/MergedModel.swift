import StrataHistory
import StrataSQLite
import StrataSchema

/// Writes what has changed in the objects of one model into the old file.
struct MergedModel {
  private let way: BackWay
  private let model: Model
  private let database: Database
  private let schema: Schema
  /// What stands for the day and for chance where the older version makes a value.
  private let environment: StepEnvironment
  /// Stored properties that are not copied with all others of their table.
  private let positions: [Int]

  init(_ way: BackWay, _ model: Model, _ merge: ThreeWayMerge) {
    self.way = way
    self.model = model
    database = merge.database
    schema = merge.route.older
    environment = StepEnvironment(
      version: schema.version, date: merge.route.versions[0].date)
    let changed = merge.found.properties[way.index]
    let isCreating = (merge.found.counts[way.index][.created] ?? 0) > 0
    positions = model.storedProperties.indices.filter { position in
      guard model.storedProperties[position].type.isCollection else { return true }
      if way.plainOrigin(of: position) != nil { return false }
      guard let top = way.origin(of: position) else { return true }
      return changed.contains(top) || isCreating
    }
  }

  /// - Parameter base: the object as the upgrade made it.
  func update(_ theirs: BackObject, _ base: BackObject?, _ notes: inout LossNotes) throws {
    var columns: [(Property, Value)] = []
    for position in positions {
      let property = model.storedProperties[position]
      let cell = try theirs.cell(0, position)
      if cell == .unknown { continue }
      if let base, try base.cell(0, position) == cell {
        // Where nothing was worked out on either side, the change that would have been is lost for that reason.
        if let reason = cell.reason { notes.addFailure(way, reason) }
        continue
      }
      switch cell {
      case .misfit: notes.add(way, way.origin(of: position), .misfit)
      case .failed(let reason), .misfitBetween(let reason): notes.addFailure(way, reason)
      case .value(let value): columns.append((property, value))
      case .elements(let elements): try replace(property, elements, of: theirs.identity)
      case .unknown: break
      }
    }
    guard !columns.isEmpty else { return }
    let assignments = columns.map { "\(SQL.identifier($0.0.name)) = ?" }
    try database.withStatement(
      """
      UPDATE main.\(SQL.identifier(model.name)) SET \(assignments.joined(separator: ", ")) WHERE _row = ?
      """
    ) { statement in
      for (index, (property, value)) in columns.enumerated() {
        try property.codec(in: schema).bind(value, to: statement, at: index + 1)
      }
      try statement.bind(theirs.identity, at: columns.count + 1)
      try statement.run()
    }
  }

  /// Makes an object that was created since; not where the older version requires what nothing says, or a `back:` gives no value.
  func insert(_ theirs: BackObject, _ notes: inout LossNotes) throws {
    var columns: [(Property, Value)] = []
    var collections: [(Property, [CollectionElement])] = []
    for (position, property) in model.storedProperties.enumerated() {
      if property.type.isCollection {
        guard positions.contains(position) else { continue }
        let cell = try theirs.cell(0, position)
        if hasFailed(cell, &notes) { return }
        noteMisfit(cell, position, &notes)
        collections.append((property, cell.elements))
        continue
      }
      let cell = try theirs.cell(0, position)
      if hasFailed(cell, &notes) { return }
      noteMisfit(cell, position, &notes)
      var value = cell.value(or: property)
      if cell == .unknown, value.isNull, let generator = property.generate {
        value = generated(generator, property, theirs)
      }
      if value.isNull, property.isRequiredColumn {
        notes.add(way, nil, .required(property.name))
        return
      }
      columns.append((property, value))
    }
    let names = ["_row"] + columns.map { $0.0.name }
    try database.withStatement(
      """
      INSERT INTO main.\(SQL.identifier(model.name)) (\(SQL.identifiers(names))) \
      VALUES (\(SQL.placeholders(names.count)))
      """
    ) { statement in
      try statement.bind(theirs.identity, at: 1)
      for (index, (property, value)) in columns.enumerated() {
        try property.codec(in: schema).bind(value, to: statement, at: index + 2)
      }
      try statement.run()
    }
    for (property, elements) in collections {
      try replace(property, elements, of: theirs.identity)
    }
  }

  /// What is made anew goes back whole, or not at all.
  private func hasFailed(_ cell: BackCell, _ notes: inout LossNotes) -> Bool {
    guard case .failed(let reason) = cell else { return false }
    notes.addFailure(way, reason)
    return true
  }

  private func noteMisfit(_ cell: BackCell, _ position: Int, _ notes: inout LossNotes) {
    switch cell {
    case .misfit: notes.add(way, way.origin(of: position), .misfit)
    case .misfitBetween(let reason): notes.addFailure(way, reason)
    case .unknown, .failed, .value, .elements: break
    }
  }

  private func generated(
    _ generator: Property.Generator, _ property: Property, _ object: BackObject
  ) -> Value {
    let key = "#\(object.identity)"
    return switch generator {
    case .now: .date(environment.date)
    case .uuid: .uuid(environment.uuid(model: model.name, key: key, use: property.name))
    case .objectID:
      .objectID(environment.objectID(model: model.name, key: key, use: property.name))
    }
  }

  private func replace(
    _ property: Property, _ elements: [CollectionElement], of owner: Int64
  ) throws {
    try database.execute(
      "DELETE FROM main.\(SQL.identifier("\(model.name).\(property.name)")) WHERE _owner = ?",
      .integer(owner))
    try CollectionWriter(property: property, model: model, schema: schema).append(
      elements, owner: owner, database: database)
  }
}
