import StrataSQLite
import StrataSchema

/// What an import has to know of a model for each line.
final class ImportedModel {
  /// What stands in a property, or in its elements.
  enum Role {
    case scalar(ScalarType)
    case link(String)
    case embedded(String)

    /// Whether links may have to wait for later lines.
    var isOfLinks: Bool {
      switch self {
      case .scalar(let scalar): scalar == .any
      case .link: true
      case .embedded: false
      }
    }
  }

  let access: ModelAccess
  var name: String { access.model.name }
  /// The stored properties, with their positions in the model.
  let properties: [(index: Int, property: Property)]
  /// By position in the model.
  let roles: [Role]
  /// Whether its objects, or what they own, have unique values beside their primary keys.
  let mayConflict: Bool
  private var lastUpdate: (properties: [Int], sql: String)?

  init(_ access: ModelAccess, in schema: Schema) {
    self.access = access
    properties = access.model.properties.enumerated().compactMap { index, property in
      property.isStored && property.type.valueType != nil ? (index, property) : nil
    }
    mayConflict = Self.mayConflict(access.model, in: schema)
    roles = access.model.properties.map { property in
      guard let type = property.type.valueType else { return .scalar(.any) }
      guard let target = property.type.linkedModel else {
        return .scalar(schema.storedScalar(of: type.base) ?? .any)
      }
      return schema.model(named: target)?.isEmbedded == true ? .embedded(target) : .link(target)
    }
  }

  private static func mayConflict(_ model: Model, in schema: Schema) -> Bool {
    var (open, known): ([Model], Set<String>) = ([model], [model.name])
    while let next = open.popLast() {
      if next.uniqueKeys.contains(where: { $0 != next.primaryKey }) { return true }
      for property in next.storedProperties {
        guard let name = property.type.linkedModel, let owned = schema.model(named: name),
          owned.isEmbedded, known.insert(name).inserted
        else { continue }
        open.append(owned)
      }
    }
    return false
  }

  /// Whether an object that was found by its primary key has this value of it to the bit. Numbers with fractions may differ in
  /// the sign of zero.
  func isKnownKey(_ property: Int) -> Bool {
    access.keyProperties.contains(property)
      && access.layout.codecs[property]?.kind.isFloating == false
  }

  /// Gives an object that is there several values at once.
  func set(_ values: [(property: Int, value: Value)], of row: Int64) throws {
    guard values.count > 1 else {
      for (property, value) in values {
        try access.set(property, of: row, to: _GeneratedCell(value))
      }
      return
    }
    access.store.willChange(access)
    let database = access.store.database
    try database.withStatement(update(of: values.map(\.property))) { statement in
      for (index, (property, value)) in values.enumerated() {
        try access.layout.codecs[property]?.bind(value, to: statement, at: index + 1)
      }
      try statement.bind(row, at: values.count + 1)
      try statement.run()
    }
    if database.changes == 0 { throw StoreError.invalidated(model: name) }
    for (property, _) in values { access.store.didChange(access, row, property: property) }
  }

  /// Most lines of a model give the same properties.
  private func update(of properties: [Int]) -> String {
    if let known = lastUpdate, known.properties == properties { return known.sql }
    let assignments = properties.enumerated().map { index, property in
      "\(SQL.identifier(access.model.properties[property].name)) = ?\(index + 1)"
    }
    let sql =
      "UPDATE \(access.quotedTable) SET \(assignments.joined(separator: ", ")) "
      + "WHERE \"_row\" = ?\(properties.count + 1)"
    lastUpdate = (properties, sql)
    return sql
  }
}

/// A value or element of a line: what can be stored at once, or a link.
enum ImportedElement {
  case stored(StandaloneValue)
  case link(ImportedLink.Target)

  /// Nil for a link.
  var value: StandaloneValue? {
    if case .stored(let value) = self { return value }
    return nil
  }
}

/// The elements of a collection in a line.
struct ImportedElements {
  /// Of a map.
  var keys: [String] = []
  private(set) var values: [ImportedElement] = []
  /// Whether one of them is a link.
  private(set) var isOpen = false

  mutating func append(_ element: ImportedElement) {
    if case .link = element { isOpen = true }
    values.append(element)
  }
}

/// A link of a line that is made when all lines are read.
struct ImportedLink {
  enum Target {
    /// What a line calls its object.
    case named(model: Int, id: Int64)
    /// The primary key of an object, a value for each of its properties.
    case key(model: Int, [Value])
    /// No link, but an element that stands among links.
    case value(Value)
  }

  /// The object that links, which has no identity yet; nil for one of the file.
  let object: Object?
  let property: Int
  /// The order key in a list, the key in a map; null elsewhere.
  let place: SQLiteValue
  let target: Target

  init(object: Object?, property: Int, place: SQLiteValue, to target: Target) {
    self.object = object
    self.property = property
    self.place = place
    self.target = target
  }
}
