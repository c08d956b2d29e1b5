import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// One file of the later version, from which objects are taken back.
final class BackSide {
  let database: Database
  /// The file's name on the connection.
  let name: String
  let route: BackRoute
  private var selections: [TableReader.Selection?]

  init(_ database: Database, _ name: String, _ route: BackRoute) {
    self.database = database
    self.name = name
    self.route = route
    selections = Array(repeating: nil, count: route.ways.count)
  }

  /// Whether an object was created since the upgrade.
  func hasCreated(_ way: BackWay, _ identity: Int64) throws -> Bool {
    try database.firstValue(
      """
      SELECT 1 FROM \(ChangeDetection.objects) WHERE way = ? AND row = ? \
      AND kind = \(ChangeDetection.Kind.created.rawValue)
      """, .integer(Int64(way.index)), .integer(identity)) != nil
  }

  /// The object with this identity; nil where the file has none.
  func object(_ way: BackWay, _ identity: Int64) throws -> BackObject? {
    let selection: TableReader.Selection
    if let known = selections[way.index] {
      selection = known
    } else {
      selection = TableReader.Selection(
        model: way.newest, schema: route.newer, in: name, condition: "_row = ?")
      selections[way.index] = selection
    }
    return try database.withStatement(selection.sql) { statement in
      try statement.bind(identity, at: 1)
      let reader = TableReader(selection, statement)
      guard try reader.next() else { return nil }
      let row = try way.newest.storedProperties.indices.map { try reader.value(at: $0) }
      return BackObject(self, way, identity, row)
    }
  }
}

/// An object of the later version as the versions before it would have it. Each property is worked out on first use.
final class BackObject {
  let side: BackSide
  let way: BackWay
  let identity: Int64
  private var wasCreated: Bool?
  /// The newest version's values, null for collections.
  private let row: [Value]
  /// By level and stored property.
  private var cells: [[BackCell?]]
  /// What the block of a level has assigned, once it was run.
  private var assigned: [[Int: BackCell]?]
  /// Why a block of the way has stopped for this object, as a sentence without its full stop. Nothing of the object goes back then: what
  /// the block would have made another value of is not known.
  private(set) var blockFailure: String?

  init(_ side: BackSide, _ way: BackWay, _ identity: Int64, _ row: [Value]) {
    self.side = side
    self.way = way
    self.identity = identity
    self.row = row
    cells = (0...way.top).map {
      Array(repeating: nil, count: way.model(at: $0)?.storedProperties.count ?? 0)
    }
    assigned = Array(repeating: nil, count: way.top + 1)
  }

  /// - Parameters:
  ///   - level: 0 is the oldest version.
  ///   - position: of the property among the stored ones of the model at that level.
  func cell(_ level: Int, _ position: Int) throws -> BackCell {
    if let known = cells[level][position] { return known }
    let assigned = try assignments(level)
    let cell: BackCell
    if let blockFailure {
      cell = .failed(blockFailure)
    } else {
      cell = try assigned[position] ?? unassigned(level, position)
    }
    cells[level][position] = cell
    return cell
  }

  /// A cell where it can be read on the way. What nothing says is the property's default in an object that was created since; of others
  /// the old file has what it was, and a default in its place would be taken for that.
  func readable(
    _ cell: BackCell, _ property: Property, of model: Model, at level: Int
  ) throws -> BackCell {
    let version = side.route.versions[level].schema.version
    if cell == .unknown {
      if try isCreated() { return cell }
      let reason = "nothing says what \(model.name).\(property.name) was in version \(version)"
      throw BackCell.Unreadable(outcome: .misfitBetween(reason), description: reason)
    }
    return try cell.readable(property, of: model, version: version)
  }

  /// Whether the old file has nothing of the object.
  private func isCreated() throws -> Bool {
    if let wasCreated { return wasCreated }
    let answer = try side.hasCreated(way, identity)
    wasCreated = answer
    return answer
  }

  /// What the property is where no block assigns it.
  func unassigned(_ level: Int, _ position: Int) throws -> BackCell {
    guard let step = way.level(level) else {
      let property = way.newest.storedProperties[position]
      guard property.type.isCollection else { return .value(row[position]) }
      return .elements(
        try StoredCollection(
          property: property, model: way.newest, schema: side.route.newer, in: side.name
        ).elements(of: identity, database: side.database))
    }
    switch step.properties[position] {
    case .unknown: return .unknown
    case .carried(let newer, let conversion):
      return conversion.takenBack(try cell(level + 1, newer))
    case .expression(let expression):
      return try evaluate(expression, for: step.model.storedProperties[position], step, level)
    }
  }

  private func evaluate(
    _ expression: ResolvedExpression, for property: Property, _ step: BackLevel, _ level: Int
  ) throws -> BackCell {
    let context = BackEvaluation(object: self, level: level + 1)
    do {
      switch property.type {
      case .map:
        return .elements(
          try expression.entries(in: context).map {
            CollectionElement(key: $0.key, value: $0.value)
          })
      case .list, .set:
        return .elements(
          try expression.elements(in: context).map { CollectionElement(value: $0) })
      default:
        let value = try expression.value(in: context)
        return value.isNull && property.isRequiredColumn ? .misfit : .value(value)
      }
    } catch let error as EvaluationError {
      return .failed(
        "`back:` of \(step.model.name).\(property.name) in the step to version \(step.newerVersion) gives no value: \(error.message)"
      )
    } catch let error as BackCell.Unreadable {
      return error.outcome
    }
  }

  /// What the block's `back` assigns at a level, by stored property.
  private func assignments(_ level: Int) throws -> [Int: BackCell] {
    guard let step = way.level(level), let mapping = step.mapping else { return [:] }
    if let known = assigned[level] { return known }
    let block = BackBlock(self, level, step)
    var result: [Int: BackCell] = [:]
    do {
      result = try block.assignments(of: mapping)
    } catch let error as MigrationError where error.isRefusal && !block.looksBeyond {
      let sentence = error.description
      blockFailure = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
    assigned[level] = result
    return result
  }
}

/// An object after a step, as `back:` sees it.
struct BackEvaluation: EvaluationContext {
  let object: BackObject
  let level: Int

  var subjectIdentity: Int64? { object.identity }

  func value(_ property: Int, of place: EvaluatedObject) throws -> Value {
    guard let (cell, property) = try cell(property, of: place) else { return .null }
    return cell.value(or: property)
  }

  func elements(_ property: Int, of place: EvaluatedObject) throws -> [Value] {
    try cell(property, of: place)?.cell.elements.map(\.value) ?? []
  }

  func entries(_ property: Int, of place: EvaluatedObject) throws -> [(key: String, value: Value)] {
    try cell(property, of: place)?.cell.elements.map { ($0.key ?? "", $0.value) } ?? []
  }

  /// Nil where the object is not there.
  private func cell(
    _ index: Int, of place: EvaluatedObject
  ) throws -> (cell: BackCell, property: Property)? {
    let found: BackObject
    switch place {
    case .subject: found = object
    case .object(let model, let identity):
      let route = object.side.route
      guard
        let way = route.way(ofModel: route.versions[level].schema.models[model].name, at: level),
        let target = try object.side.object(way, identity)
      else { return nil }
      found = target
    }
    guard let model = found.way.model(at: level) else { return nil }
    let property = model.properties[index]
    guard let position = model.storedProperties.firstIndex(where: { $0.name == property.name })
    else {
      throw MigrationError(
        .brokenHistory,
        """
        A `back:` reads \(model.name).\(property.name), which is an inverse. On the way back an object's own properties and \
        those of the objects that it links to are known.
        """, model: model.name)
    }
    let cell = try found.cell(level, position)
    return (try found.readable(cell, property, of: model, at: level), property)
  }
}
