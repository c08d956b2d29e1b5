import StrataExpression
import StrataHistory
import StrataSchema

/// What becomes of the relationships of a Core Data model between two versions.
///
/// A relationship is stored at one end, or at both (docs/decisions/0120), and at which may change although the relationship goes on: because
/// it leads to many where it led to one, because it is ordered, or because an entity has a sub-entity now. Its links go on then. An end goes on
/// by its renaming identifier or by its name, and a relationship where one of its ends does.
struct RelationshipSteps {
  let older: AdoptedVersion
  let newer: AdoptedVersion
  /// Those that renaming identifiers and names say, and those of ends that go on because the other end of their relationship does.
  private(set) var renames: Renames
  /// Of the older version.
  let ends: RelationshipEnds
  /// Old model → new model, abstract ones included, which no step renames.
  let models: [String: String]
  private(set) var successors: [SchemaPath: Successor] = [:]
  /// New end → the old ends that it succeeds.
  private(set) var predecessors: [SchemaPath: [SchemaPath]] = [:]
  /// Model → itself and its ancestors.
  let oldLines: [String: [String]]
  let newLines: [String: [String]]
  private let newModels: [String: Model]
  private let newEnds: [String: [SchemaPath]]

  /// The end of the newer version that an end of the older one becomes.
  struct Successor {
    /// Why it does, the best reason first.
    enum Reason: Int {
      case identifier
      case name
      /// Its name is the renaming identifier there.
      case formerName
      /// The other end of its relationship goes on, and this is the other end there.
      case inverse
    }

    var end: SchemaPath
    var reason: Reason
  }

  init(older: AdoptedVersion, newer: AdoptedVersion, renames: Renames) {
    self.older = older
    self.newer = newer
    self.renames = renames
    ends = older.coreData == nil ? RelationshipEnds(toldBy: older.schema) : older.relationships
    var models = renames.models
    for model in newer.schema.models
    where model.isAbstract && older.schema.model(named: model.name) == nil {
      let identifier = newer.identifiers.models[model.name]
      let before = older.schema.models.first {
        $0.isAbstract && identifier != nil
          && (older.identifiers.models[$0.name] == identifier || $0.name == identifier)
      }
      if let before { models[before.name] = model.name }
    }
    self.models = models
    oldLines = older.schema.lines
    newLines = newer.schema.lines
    newModels = Dictionary(
      newer.schema.storedModels.compactMap { model in
        renames.oldModel(of: model.name, in: older.schema).map { ($0.name, model) }
      }, uniquingKeysWith: { first, _ in first })
    newEnds = Dictionary(grouping: newer.relationships.inverses.keys.sorted(), by: \.model)
    findSuccessors()
    renameSuccessors()
  }

  /// Whether the model of the older version is not there any more, and renaming identifiers and some inverses are not known.
  var isToldBySchema: Bool { older.coreData == nil }

  // MARK: - Ends

  /// Where an end is declared that a model has or inherits.
  func declaration(of path: SchemaPath) -> SchemaPath? {
    guard let name = path.property else { return nil }
    return (oldLines[path.model] ?? []).map { SchemaPath($0, name) }
      .first(where: ends.contains)
  }

  /// The model that has the objects of an old one.
  func newModel(of old: String) -> Model? { newModels[old] }

  private mutating func findSuccessors() {
    let siblings = Dictionary(grouping: ends.inverses.keys, by: \.model)
    var own: [SchemaPath: Successor] = [:]
    for end in ends.inverses.keys {
      own[end] = continuation(of: end, siblings: siblings[end.model] ?? [])
    }
    successors = own
    for (end, inverse) in ends.inverses where own[end] == nil {
      guard let inverse, let there = own[inverse]?.end,
        let same = newer.relationships.inverse(of: there)
      else { continue }
      successors[end] = Successor(end: same, reason: .inverse)
    }
    for end in successors.keys.sorted() {
      guard let new = successors[end]?.end else { continue }
      predecessors[new, default: []].append(end)
    }
  }

  /// The end of the newer version that has the renaming identifier or the name of one of the older version.
  private func continuation(of end: SchemaPath, siblings: [SchemaPath]) -> Successor? {
    guard let name = end.property else { return nil }
    let line = newLines[models[end.model] ?? end.model] ?? []
    func first(
      _ reason: Successor.Reason, _ matches: (SchemaPath, String?) -> Bool
    ) -> Successor? {
      for model in line {
        let found = newEnds[model]?.first { matches($0, newer.identifiers.properties[$0]) }
        if let found { return Successor(end: found, reason: reason) }
      }
      return nil
    }
    // Its own identifier may be another one than its name, which a schema does not tell.
    if isToldBySchema { return first(.identifier) { $1 == name } }
    let identifier = older.identifiers.properties[end]
    return first(.identifier) { $1 == identifier }
      ?? first(.name) { candidate, identifier in
        // One of that name may continue another one.
        candidate.property == name
          && !siblings.contains {
            $0 != end && older.identifiers.properties[$0] == identifier
          }
      } ?? first(.formerName) { $1 == name }
  }

  /// The end of the newer version that continues one of the older version by itself.
  func continuation(of end: SchemaPath) -> SchemaPath? {
    guard let found = successors[end], found.reason != .inverse else { return nil }
    return found.end
  }

  /// The ends of the newer version's relationship that goes on from the one of an end; nil where none does, or where its ends go on in two.
  func relationship(of end: SchemaPath) -> (same: SchemaPath?, other: SchemaPath?)?? {
    let here = continuation(of: end)
    let there = ends.inverse(of: end).flatMap { continuation(of: $0) }
    guard let here else {
      guard let there else { return .some(nil) }
      return (newer.relationships.inverse(of: there), there)
    }
    let other = newer.relationships.inverse(of: here)
    if let there, let other, other != there { return nil }
    return (here, other)
  }

  /// Whether the property that a model has of a new end is for what one old end says: no other one has as good a reason to go on there, and
  /// none that is stored has gone on there already.
  func isFree(_ new: SchemaPath, for end: SchemaPath, in model: Model, from old: Model) -> Bool {
    guard let name = new.property, let own = successors[end], own.end == new else { return false }
    let line = oldLines[old.name] ?? []
    let isContested = (predecessors[new] ?? []).contains { rival in
      guard rival != end, line.contains(rival.model), let reason = successors[rival]?.reason
      else { return false }
      return reason.rawValue <= own.reason.rawValue
    }
    guard !isContested else { return false }
    let continued = renames.oldProperty(of: name, in: old)
    return continued?.isStored != true || continued?.name == end.property
  }

  func isStored(_ end: SchemaPath?, in schema: Schema) -> Bool {
    guard let end, let name = end.property else { return false }
    return schema.model(named: end.model)?.property(named: name)?.isStored ?? false
  }

  /// Whether it is in the class and not in the file.
  func isIgnored(_ end: SchemaPath?, in schema: Schema) -> Bool {
    guard let end, let name = end.property else { return false }
    return schema.model(named: end.model)?.property(named: name)?.isIgnored ?? false
  }

  // MARK: - Steps

  /// Adds the renames of stored ends that go on as a stored one because the other end of their relationship does.
  private mutating func renameSuccessors() {
    var found: [SchemaPath: String] = [:]
    for old in older.schema.storedModels {
      guard let model = newModel(of: old.name) else { continue }
      let continued = Set(
        model.storedProperties.compactMap { renames.oldProperty(of: $0.name, in: old)?.name })
      for property in old.storedProperties where !continued.contains(property.name) {
        let path = SchemaPath(old.name, property.name)
        if case .renamed(let name) = outcome(of: path) { found[path] = name }
      }
    }
    renames.properties.merge(found) { first, _ in first }
  }

  /// Adds the links that ends take over which were computed before and are stored now.
  func carry(into step: inout MigrationStep) {
    for end in ends.inverses.keys.sorted() where !isStored(end, in: older.schema) {
      guard case .some(.some(let relationship)) = relationship(of: end),
        let same = relationship.same, isStored(same, in: newer.schema)
      else { continue }
      for (model, value) in takingOver(end, as: same) ?? [:] {
        guard let name = same.property else { continue }
        step.set[model, default: [:]][name] = value
      }
    }
  }

  /// For each model that has an end now its links from what was computed there before; nil where one of them has nothing to take them from.
  func takingOver(_ end: SchemaPath, as new: SchemaPath) -> [String: Expression]? {
    guard let name = end.property, let newName = new.property else { return nil }
    var values: [String: Expression] = [:]
    for model in newer.schema.storedModels
    where (newLines[model.name] ?? []).contains(new.model) {
      // A model that is new has no objects, and those of a model without the end have none of its links.
      guard let old = renames.oldModel(of: model.name, in: older.schema),
        (oldLines[old.name] ?? []).contains(end.model)
      else { continue }
      // Which of several links a to-one one is, nothing says.
      guard let property = model.property(named: newName), property.isStored,
        property.type.isCollection, isFree(new, for: end, in: model, from: old),
        case .inverse(let source, _) = old.property(named: name)?.type,
        mayLead(new, property, to: source)
      else { return nil }
      values[model.name] = Expression(.member(base: Expression(.object(.old)), name: name))
    }
    return values.isEmpty ? nil : values
  }

  /// Whether the source lets a new end lead to the objects of a model of the older version.
  func mayLead(_ new: SchemaPath, _ property: Property, to source: String) -> Bool {
    let model = models[source] ?? source
    if let linked = property.type.linkedModel { return linked == model }
    guard property.type.valueType?.base == .scalar(.any),
      let target = newer.relationships.targets[new]
    else { return false }
    return (newLines[model] ?? []).contains(target)
  }
}
