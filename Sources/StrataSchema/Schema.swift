/// All models and enums at one version, resolved: names are known to exist, inherited properties are spelled out.
///
/// A schema holds no positions, comments or declaration order: two schemas that mean the same are
/// equal, whatever their YAML looked like. Models, enums and properties are sorted by name.
package struct Schema: Hashable, Sendable {
  package var name: String
  package var version: Int
  /// Edition of the schema language.
  package var language: Int
  package private(set) var models: [Model]
  package private(set) var enums: [EnumType]

  package init(
    name: String, version: Int, language: Int = 1, models: [Model] = [], enums: [EnumType] = []
  ) {
    self.name = name
    self.version = version
    self.language = language
    self.models = models.sorted { $0.name < $1.name }
    self.enums = enums.sorted { $0.name < $1.name }
  }

  package func model(named name: String) -> Model? {
    indexOfModel(named: name).map { models[$0] }
  }

  /// The position in `models`.
  package func indexOfModel(named name: String) -> Int? {
    models.binarySearch(name, by: \.name)
  }

  package func enumeration(named name: String) -> EnumType? {
    enums.binarySearch(name, by: \.name).map { enums[$0] }
  }

  /// The models that have a table.
  package var storedModels: [Model] { models.filter { !$0.isAbstract } }

  /// How a value of this type is stored: an enum's raw type for an enum, the type itself for a scalar,
  /// nil for an object.
  package func storedScalar(of base: BaseType) -> ScalarType? {
    switch base {
    case .scalar(let type): type
    case .enumeration(let name): enumeration(named: name)?.rawType.scalar
    case .object: nil
    }
  }
}

/// A class of objects.
package struct Model: Hashable, Sendable {
  package var name: String
  /// The generated class's name, where it is not `name`.
  package var swiftName: String?
  package var doc: String?
  /// An embedded object belongs to one owner and is deleted with it.
  package var isEmbedded: Bool
  /// An abstract model has no table; in Swift it is a protocol.
  package var isAbstract: Bool
  /// The model whose declarations this one repeats. Its properties are spelled out in `properties`.
  package var extends: String?
  /// The names of the properties that identify an object, in order; empty for none.
  package var primaryKey: [String]
  /// Compound indexes, each in its order; sorted.
  package var indexes: [[String]]
  /// Compound uniqueness, each in its order; sorted.
  package var uniques: [[String]]
  package private(set) var properties: [Property]
  /// What every object keeps, inherited rules too; sorted by name.
  package private(set) var rules: [ModelRule]

  package init(
    name: String, swiftName: String? = nil, doc: String? = nil, isEmbedded: Bool = false,
    isAbstract: Bool = false, extends: String? = nil, primaryKey: [String] = [],
    indexes: [[String]] = [], uniques: [[String]] = [], properties: [Property] = [],
    rules: [ModelRule] = []
  ) {
    self.name = name
    self.swiftName = swiftName
    self.doc = doc
    self.isEmbedded = isEmbedded
    self.isAbstract = isAbstract
    self.extends = extends
    self.primaryKey = primaryKey
    self.indexes = indexes.sorted { $0.lexicographicallyPrecedes($1) }
    self.uniques = uniques.sorted { $0.lexicographicallyPrecedes($1) }
    self.properties =
      properties.isSorted(by: \.name) ? properties : properties.sorted { $0.name < $1.name }
    self.rules = rules.sorted { $0.name < $1.name }
  }

  package func property(named name: String) -> Property? {
    indexOfProperty(named: name).map { properties[$0] }
  }

  /// The position in `properties`, which is the position in generated code, too.
  package func indexOfProperty(named name: String) -> Int? {
    properties.binarySearch(name, by: \.name)
  }

  package func rule(named name: String) -> ModelRule? { rules.first { $0.name == name } }

  /// The properties that the file holds: neither ignored nor inverse.
  package var storedProperties: [Property] { properties.filter(\.isStored) }
}

/// A property of a model.
package struct Property: Hashable, Sendable {
  package enum Index: String, Hashable, Sendable {
    case none
    case ordinary
    case fulltext
  }

  /// What becomes of an object whose link's target is deleted.
  package enum DeleteRule: String, CaseIterable, Hashable, Sendable {
    /// The link becomes nil; an element of a collection goes away.
    case nullify
    /// The object that holds the link is deleted as well.
    case cascade
    /// The target cannot be deleted.
    case deny
  }

  /// Where a new object's value comes from when the program gives none.
  package enum Generator: String, CaseIterable, Hashable, Sendable {
    case uuid
    case objectID = "objectId"
    case now
  }

  package var name: String
  /// The generated property's name, where it is not `name`.
  package var swiftName: String?
  package var doc: String?
  package var type: PropertyType
  /// The declared default, of the property's type; an enum's is its case's raw value.
  package var defaultValue: Value?
  package var index: Index
  package var isUnique: Bool
  /// In the class, not in the file.
  package var isIgnored: Bool
  /// For links only; `nullify` elsewhere.
  package var deleteRule: DeleteRule
  package var generate: Generator?

  package init(
    name: String, swiftName: String? = nil, doc: String? = nil, type: PropertyType,
    defaultValue: Value? = nil, index: Index = .none, isUnique: Bool = false,
    isIgnored: Bool = false, deleteRule: DeleteRule = .nullify, generate: Generator? = nil
  ) {
    self.name = name
    self.swiftName = swiftName
    self.doc = doc
    self.type = type
    self.defaultValue = defaultValue
    self.index = index
    self.isUnique = isUnique
    self.isIgnored = isIgnored
    self.deleteRule = deleteRule
    self.generate = generate
  }

  /// Whether the file holds the property.
  package var isStored: Bool { !isIgnored && !type.isInverse }
}

/// A closed list of named raw values.
package struct EnumType: Hashable, Sendable {
  package enum RawType: String, CaseIterable, Hashable, Sendable {
    case string
    case int

    package var scalar: ScalarType { self == .string ? .string : .int }
  }

  package struct Case: Hashable, Sendable {
    package var name: String
    /// `.string` or `.int`, as the enum's raw type says.
    package var rawValue: Value

    package init(name: String, rawValue: Value) {
      self.name = name
      self.rawValue = rawValue
    }
  }

  package var name: String
  package var doc: String?
  package var rawType: RawType
  package private(set) var cases: [Case]

  package init(name: String, doc: String? = nil, rawType: RawType, cases: [Case]) {
    self.name = name
    self.doc = doc
    self.rawType = rawType
    self.cases = cases.sorted { $0.name < $1.name }
  }
}

extension Array {
  /// Sorting what is sorted already would copy it.
  fileprivate func isSorted(by keyOf: (Element) -> String) -> Bool {
    indices.dropFirst().allSatisfy { keyOf(self[$0 - 1]) < keyOf(self[$0]) }
  }

  /// The index of the element with this key in an array that is sorted by it.
  package func binarySearch(_ key: String, by keyOf: (Element) -> String) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if keyOf(self[middle]) < key { low = middle + 1 } else { high = middle }
    }
    return low < count && keyOf(self[low]) == key ? low : nil
  }
}
