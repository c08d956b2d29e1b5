import StrataFrontend

/// Gives things of one scope legal names that differ, and Swift names where the legal one is taken there.
struct NameKeeper {
  private var taken: Set<String> = []
  private var takenInSwift: Set<String> = []
  /// What the source calls the first thing of each name that is taken, by the folded name.
  private var sources: [String: String] = [:]
  private let isType: Bool
  /// Legal names of the source, folded: none of them goes to a thing whose own name is not legal, whichever of the two comes first.
  private let claimed: Set<String>

  /// - Parameter sources: what the source calls the things of the scope, as far as that is known before they are named.
  init(ofTypes isType: Bool, sources: some Sequence<String> = []) {
    self.isType = isType
    claimed = Set(sources.filter { Self.isLegal($0, isType: isType) }.map(Names.folded))
  }

  /// Of the models of a schema.
  init(ofModelsOf schema: String, sources: some Sequence<String>) {
    self.init(ofTypes: true, sources: sources)
    // The schema's own Swift types.
    takenInSwift = [schema + "Schema", schema + "Migrations"]
  }

  private static func isLegal(_ name: String, isType: Bool) -> Bool {
    Names.isIdentifier(name) && name.utf8.count <= Names.maximumLength
      && Names.storeReservation(name) == nil && !(isType && languageTypes.contains(name))
  }

  private static let languageTypes: Set<String> = [
    "bool", "int", "int8", "int16", "int32", "int64", "float", "double", "string", "data", "date",
    "uuid", "decimal", "objectId", "any", "set", "map",
  ]

  /// - Parameters:
  ///   - swift: what the source's own programs call it.
  ///   - isCollectionBesideKey: whether it is a collection of a model with a primary key, whose index has a name of its own.
  mutating func name(
    _ source: String, swift: String? = nil, isCollectionBesideKey: Bool = false
  ) -> (name: String, swiftName: String?) {
    var base = Names.isIdentifier(source) ? source : Names.identifier(near: source) ?? "_unnamed"
    while base.utf8.count > Names.maximumLength - 4 { base.removeLast() }
    if source.utf8.count <= Names.maximumLength, Names.isIdentifier(source) { base = source }
    let isOfIndex = isCollectionBesideKey && Names.isOfKeyIndex(base)
    if isOfIndex || Names.storeReservation(base) != nil { base = "x" + base }
    if isType, Self.languageTypes.contains(base) { base += "Model" }
    var name = base
    var number = 2
    let isLegal = !isOfIndex && Self.isLegal(source, isType: isType)
    while !isLegal && claimed.contains(Names.folded(name))
      || !taken.insert(Names.folded(name)).inserted
    {
      name = "\(base)\(number)"
      number += 1
    }
    if sources[Names.folded(name)] == nil { sources[Names.folded(name)] = source }
    let reserved = Names.traps.union(isType ? Names.typeNames : Names.memberNames)
    func isFree(_ name: String) -> Bool {
      Names.isIdentifier(name) && name.utf8.count <= Names.maximumLength
        && Names.storeReservation(name) == nil && !reserved.contains(name)
        && !takenInSwift.contains(name)
    }
    var shown = swift.flatMap { isFree($0) ? $0 : nil } ?? name
    number = 2
    if !isFree(shown) { shown = name + (isType ? "Model" : "Value") }
    while !isFree(shown), number < 1_000 {
      shown = "\(name)Value\(number)"
      number += 1
    }
    takenInSwift.insert(shown)
    return (name, shown == name ? nil : shown)
  }

  /// Why something is called otherwise than in its source.
  func reason(for source: String, called name: String) -> String {
    if Self.isLegal(source, isType: isType), let other = sources[Names.folded(source)],
      other != source,
      Names.folded(other) == Names.folded(source)
    {
      return
        "it is called '\(name)': '\(other)' and '\(source)' differ only in case, and a database has one of them"
    }
    return "it is called '\(name)': '\(source)' is no legal name"
  }
}
