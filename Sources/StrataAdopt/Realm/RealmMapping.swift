import StrataRealm
import StrataSchema

/// The classes of a Realm file as models.
struct RealmMapping {
  struct Class {
    let table: Int
    let model: String
    /// Our property → the file's column.
    var columns: [String: Int] = [:]
  }

  private static let maximumModels = 10_000
  private static let maximumProperties = 1_000

  private let file: RealmFile
  private let path: String
  private(set) var classes: [Class] = []
  private var notes: [AdoptNote] = []
  private var names: [Int: (name: String, swiftName: String?)] = [:]

  init(file: RealmFile, path: String) {
    self.file = file
    self.path = path
  }

  private mutating func note(
    _ kind: AdoptNote.Kind, _ entity: String, _ property: String?, _ reason: String
  ) {
    notes.append(AdoptNote(kind: kind, entity: entity, property: property, reason: reason))
  }

  mutating func history(name: String) throws -> AdoptedHistory {
    // Files that no app wrote, but a program of Realm's own, have tables without classes.
    let hasClasses = file.tables.contains { $0.className != nil }
    func isAdopted(_ table: RealmTable) -> Bool {
      hasClasses ? table.className != nil : !table.isOfRealm
    }
    var keeper = NameKeeper(
      ofModelsOf: name, sources: file.tables.filter(isAdopted).map { $0.className ?? $0.name })
    for (index, table) in file.tables.enumerated() {
      guard isAdopted(table) else {
        if !["metadata", "pk"].contains(table.name), table.count > 0 {
          let what = table.isOfRealm ? "Realm's own table" : "a table of no class"
          note(
            .leftOut, table.name, nil,
            "it is \(what), with \(counted(table.count, "object", "objects"))")
        }
        continue
      }
      let source = table.className ?? table.name
      let found = keeper.name(source)
      names[index] = found
      if found.name != source {
        note(.changed, source, nil, keeper.reason(for: source, called: found.name))
      } else if let swiftName = found.swiftName {
        note(
          .changed, source, nil, "it is called '\(swiftName)' in Swift, where '\(source)' is taken")
      }
    }
    guard !names.isEmpty else {
      throw AdoptError(
        "'\(path)' is a Realm file. It has no classes, so that there is nothing to bring in")
    }
    guard names.count <= Self.maximumModels else {
      throw AdoptError("'\(path)' has more than \(Self.maximumModels) classes")
    }
    var models: [Model] = []
    for (index, table) in file.tables.enumerated() {
      guard let own = names[index] else { continue }
      models.append(try model(table, index, own))
    }
    let schema = Schema(name: name, version: version(), models: models)
    if file.isSynchronized {
      note(.leftOut, "", nil, "the file was synchronized: the history of its changes")
    }
    note(
      .leftOut, "", nil,
      "inverses (LinkingObjects) stand in no file: declare them with 'linkingObjects'")
    return AdoptedHistory(
      source: .realm, name: name,
      versions: [
        AdoptedVersion(
          name: file.schemaVersion.map { "schema version \($0)" } ?? "no schema version",
          schema: schema, notes: notes)
      ], notes: [])
  }

  private mutating func version() -> Int {
    guard let version = file.schemaVersion else { return 0 }
    let bounded = Int(min(version, UInt64(Int32.max)))
    if UInt64(bounded) != version {
      note(.changed, "", nil, "its schema version \(version) became \(bounded), the highest one")
    }
    return bounded
  }

  // MARK: - Classes

  private mutating func model(
    _ table: RealmTable, _ index: Int, _ own: (name: String, swiftName: String?)
  ) throws -> Model {
    let source = table.className ?? table.name
    guard table.columns.count <= Self.maximumProperties else {
      throw AdoptError("'\(source)' has more than \(Self.maximumProperties) properties")
    }
    if table.kind == .asymmetric {
      note(
        .changed, source, nil, "it is an ordinary model, and was asymmetric: only sent, not kept")
    }
    var result = Class(table: index, model: own.name)
    var keeper = NameKeeper(ofTypes: false, sources: table.columns.map(\.name))
    var properties: [Property] = []
    var primaryKey: [String] = []
    for (position, column) in table.columns.enumerated() {
      guard let type = type(of: column, in: source) else { continue }
      let found = keeper.name(
        column.name,
        isCollectionBesideKey: type.isCollection && table.primaryKey != nil
          && table.kind != .embedded)
      if found.name != column.name {
        note(
          .changed, source, column.name,
          keeper.reason(for: column.name, called: found.name))
      } else if let swiftName = found.swiftName {
        note(
          .changed, source, column.name,
          "it is called '\(swiftName)' in Swift, where '\(column.name)' is taken")
      }
      let isKey = table.primaryKey == position && table.kind != .embedded
      if isKey { primaryKey = [found.name] }
      result.columns[found.name] = position
      properties.append(
        Property(
          name: found.name, swiftName: found.swiftName, type: type,
          index: isKey ? .none : self.index(of: column, type, in: source)))
    }
    classes.append(result)
    return Model(
      name: own.name, swiftName: own.swiftName, isEmbedded: table.kind == .embedded,
      primaryKey: primaryKey, properties: properties)
  }

  private mutating func index(
    of column: RealmColumn, _ type: PropertyType, in source: String
  ) -> Property.Index {
    if column.isFulltext, case .value(let value) = type, value.base == .scalar(.string) {
      return .fulltext
    }
    guard column.isIndexed else { return .none }
    if case .value(let value) = type, case .scalar(let scalar) = value.base,
      [.bool, .int, .date, .string, .uuid, .objectID].contains(scalar)
    {
      return .ordinary
    }
    // Every link has one.
    if type.linkedModel == nil {
      note(.leftOut, source, column.name, "its index: values of its type have none")
    }
    return .none
  }

  /// Nil for what is left out.
  private mutating func type(of column: RealmColumn, in source: String) -> PropertyType? {
    let base: BaseType
    switch column.kind {
    case .int: base = .scalar(.int)
    case .bool: base = .scalar(.bool)
    case .string: base = .scalar(.string)
    case .data: base = .scalar(.data)
    case .mixed: base = .scalar(.any)
    case .date: base = .scalar(.date)
    case .float: base = .scalar(.float)
    case .double: base = .scalar(.double)
    case .decimal: base = .scalar(.decimal)
    case .objectID: base = .scalar(.objectID)
    case .uuid: base = .scalar(.uuid)
    case .link(let table):
      guard let target = names[table]?.name else {
        let name = file.tables.indices.contains(table) ? file.tables[table].name : "no table"
        note(.leftOut, source, column.name, "it leads to '\(name)', which is left out")
        return nil
      }
      base = .object(target)
    case .unsupported(let number):
      note(
        .leftOut, source, column.name,
        "its type, number \(number), is one of old files that no released version of Realm offered")
      return nil
    }
    var isLink = false
    if case .object = base { isLink = true }
    // A collection of objects has no empty places.
    let isOptional = column.isNullable && !(isLink && column.collection != .none)
    let value = ValueType(base, isOptional: isOptional)
    switch column.collection {
    case .none: return .value(value)
    case .list: return .list(value)
    case .set: return .set(value)
    case .dictionary: return .map(value)
    }
  }
}
