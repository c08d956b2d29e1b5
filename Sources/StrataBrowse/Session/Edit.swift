import Strata
import StrataSchema

/// One change that a user made.
struct Edit {
  /// An object of the file, or one that an earlier edit created: whatever identity it gets when edits are done again.
  enum Target: Equatable {
    case row(Int64)
    case created(Int)
  }

  enum Change {
    case set(property: String, value: JSON)
    /// One element of a collection.
    case element(property: String, change: JSON)
    case create(values: [String: JSON])
    case delete
  }

  var model: String
  var target = Target.row(0)
  var change: Change
  /// The mark of the value that `.set` replaces, as it was shown; nil where any value may stand there.
  var was: String?

  /// The same with objects named in a way that outlives the transaction.
  func naming(_ name: (Int64) throws -> Target) rethrows -> Edit {
    var edit = self
    if case .row(let identity) = target { edit.target = try name(identity) }
    edit.change =
      switch change {
      case .set(let property, let value):
        .set(property: property, value: try Self.naming(value, name))
      case .element(let property, let value):
        .element(property: property, change: try Self.naming(value, name))
      case .create(let values): .create(values: try values.mapValues { try Self.naming($0, name) })
      case .delete: .delete
      }
    return edit
  }

  /// A link to an object that an edit created gets the number of that edit's object: the object gets another identity when the edits
  /// are done again.
  private static func naming(_ json: JSON, _ name: (Int64) throws -> Target) rethrows -> JSON {
    switch json {
    case .array(let elements): return .array(try elements.map { try naming($0, name) })
    case .object(let members):
      if let identity = members["link"]?.string.flatMap({ Int64($0) }),
        case .created(let index) = try name(identity)
      {
        return .object(["created": .int(Int64(index))])
      }
      return .object(try members.mapValues { try naming($0, name) })
    default: return json
    }
  }

  /// The same with what it replaces marked as what it is now: the value of a property, elements by their positions or keys. Marks that the
  /// page gave stay.
  func marked(in content: BrowsedContent, created: [Int64]) throws -> Edit {
    var edit = self
    switch change {
    case .set(let name, _):
      // An object that an earlier edit created is unknown to other processes.
      guard was == nil, case .row(let identity) = target else { return self }
      let model = try content.model(model)
      guard let property = model.property(named: name) else { return self }
      edit.was = try ValueMark(content: content).marks(of: [property], of: model, identity)[name]
    case .element(let name, let change):
      guard let members = change.object,
        let property = try content.model(model).property(named: name), property.type.isCollection
      else { return self }
      _ = try content.object(model, identity(created))
      let marks = try ValueMark(content: content).marks(
        of: change, in: property, of: try content.model(model), owner: identity(created))
      edit.change = .element(
        property: name, change: .object(members.merging(marks) { old, _ in old }))
    case .create, .delete: break
    }
    return edit
  }

  /// The same with its marks, where what it replaces is what the page showed.
  ///
  /// - Parameter edits: those of the transaction so far. The file is locked since the first of them: where one of them has changed the same value or
  ///   map, no other process has, and the page may not have shown what became of it yet.
  /// - Throws: `BrowseError` with the code `changed`
  func checked(
    in content: BrowsedContent, created: [Int64], after edits: [Edit]
  ) throws -> Edit {
    if try !isOfPosition(in: content),
      edits.contains(where: {
        $0.property == property && $0.target == target && $0.model == model
      })
    {
      return unmarked
    }
    let edit = try marked(in: content, created: created)
    try edit.checkMarks(in: content, created: created)
    return edit
  }

  /// Whether it names an element by its position.
  private func isOfPosition(in content: BrowsedContent) throws -> Bool {
    guard case .element(let name, _) = change else { return false }
    if case .map? = try content.model(model).property(named: name)?.type { return false }
    return true
  }

  private var property: String? {
    switch change {
    case .set(let name, _), .element(let name, _): name
    case .create, .delete: nil
    }
  }

  /// Refuses an edit where another value or element stands than the one that was meant.
  func checkMarks(in content: BrowsedContent, created: [Int64]) throws {
    let standing = try unmarked.marked(in: content, created: created)
    switch (change, standing.change) {
    case (.set(let name, _), _):
      guard let was, let now = standing.was, was != now else { return }
      throw BrowseError(
        """
        \(model).\(name) was changed meanwhile, by another process or in another window: the new value is not stored over that. Look at \
        it again.
        """, code: BrowseError.changed)
    case (.element(let name, let change), .element(_, let now)):
      for mark in Self.marks {
        guard let meant = change[mark], let standing = now[mark], meant != standing else {
          continue
        }
        throw BrowseError(
          """
          \(model).\(name) was changed meanwhile, by another process or in another window: another element stands where this one \
          stood. Look at the elements again.
          """, code: BrowseError.changed)
      }
    default: return
    }
  }

  private static let marks = ["was", "wasTo"]

  private var unmarked: Edit {
    var edit = self
    edit.was = nil
    if case .element(let name, let change) = change, let members = change.object {
      edit.change = .element(
        property: name, change: .object(members.filter { !Self.marks.contains($0.key) }))
    }
    return edit
  }

  /// - Returns: the identity of a new object.
  func perform(on content: BrowsedContent, created: [Int64]) throws -> Int64? {
    let model = try content.model(model)
    let reader = GivenValues(content: content, created: created)
    switch change {
    case .create(let values):
      guard !model.isEmbedded else {
        throw BrowseError("\(model.name) is embedded: its objects are made in their owners.")
      }
      let object = try content.store.create(
        named: model.name, value: try reader.members(values, of: model))
      return Object.identity(of: object)
    case .set(let name, let value):
      guard let property = model.property(named: name), property.isStored else {
        throw BrowseError("\(model.name) has no property '\(name)' that is stored.")
      }
      let object = try content.object(model.name, identity(created))
      try object.setValue(try reader.value(value, for: property, of: model), forKey: name)
      return nil
    case .element(let name, let json):
      guard let property = model.property(named: name), property.type.isCollection else {
        throw BrowseError("\(model.name).\(name) is no collection.")
      }
      let object = try content.object(model.name, identity(created))
      if json["isNew"]?.bool == true, case .map = property.type, let key = json["key"]?.string,
        try object.map(name)[key] != nil
      {
        throw BrowseError("\(model.name).\(name) has the key '\(key)' already.")
      }
      try object.changeElement(
        of: name, try reader.elementChange(json, of: property, of: model))
      return nil
    case .delete:
      try content.store.delete(try content.object(model.name, identity(created)))
      return nil
    }
  }

  private func identity(_ created: [Int64]) -> Int64 {
    switch target {
    case .row(let identity): identity
    case .created(let index): created.indices.contains(index) ? created[index] : 0
    }
  }
}

/// Reads values as a page sends them: `null`, `{"text": …}` as it was typed, of a value in an `any` with `"is"`, the type that it has,
/// `{"link": id}`, `{"elements": […]}`, `{"entries": [[key, …]]}`, `{"object": {…}}` for a new embedded object, `{"created": n}` for the object of an earlier edit.
struct GivenValues {
  /// Embedded objects in embedded objects at most.
  static let maximumDepth = 32

  let content: BrowsedContent
  var created: [Int64] = []

  func members(
    _ values: [String: JSON], of model: Model, depth: Int = 0
  ) throws -> [String: Any?] {
    guard depth < Self.maximumDepth else { throw BrowseError("The value is nested too deep.") }
    var members: [String: Any?] = [:]
    for (name, json) in values {
      guard let property = model.property(named: name), property.isStored else {
        throw BrowseError("\(model.name) has no property '\(name)' that is stored.")
      }
      members.updateValue(
        try value(json, for: property, of: model, depth: depth), forKey: name)
    }
    return members
  }

  func value(
    _ json: JSON, for property: Property, of model: Model, depth: Int = 0
  ) throws -> Any? {
    let place = "\(model.name).\(property.name)"
    guard let type = property.type.valueType else {
      throw BrowseError("\(place) is the inverse of a link: change the link.")
    }
    switch property.type {
    case .value: return try element(json, type, place, depth)
    case .list, .set:
      guard let elements = json["elements"]?.array else {
        throw BrowseError("\(place) takes a list of values.")
      }
      return try elements.map { try element($0, type, place, depth) as Any? }
    case .map:
      guard let entries = json["entries"]?.array else {
        throw BrowseError("\(place) takes values with their keys.")
      }
      var members: [String: Any?] = [:]
      for entry in entries {
        guard let pair = entry.array, pair.count == 2, let key = pair[0].string else {
          throw BrowseError("\(place) takes values with their keys.")
        }
        guard members[key] == nil else {
          throw BrowseError("\(place) has the key '\(key)' twice.")
        }
        members.updateValue(try element(pair[1], type, place, depth), forKey: key)
      }
      return members
    case .inverse: return nil
    }
  }

  /// `{"insert": value, "at"?: n}`, `{"replace": value, "at": n}`, `{"remove": n}`, `{"move": n, "to": n}`, and of a map
  /// `{"put": value, "key": k}`, `{"removeKey": k}`, `{"renameKey": k, "to": k}`.
  func elementChange(
    _ json: JSON, of property: Property, of model: Model
  ) throws -> ElementChange {
    let place = "\(model.name).\(property.name)"
    guard let type = property.type.valueType else {
      throw BrowseError("\(place) is no collection.")
    }
    func value(_ json: JSON) throws -> Any? { try element(json, type, place, 0) }
    func position(_ json: JSON?) -> Int? { json?.int.map { Int(clamping: $0) } }
    if let given = json["insert"] { return .insert(try value(given), at: position(json["at"])) }
    if let given = json["replace"], let at = position(json["at"]) {
      return .replace(try value(given), at: at)
    }
    if let at = position(json["remove"]) { return .remove(at: at) }
    if let from = position(json["move"]), let to = position(json["to"]) {
      return .move(from: from, to: to)
    }
    if let given = json["put"], let key = json["key"]?.string {
      return .set(try value(given), forKey: key)
    }
    if let key = json["removeKey"]?.string { return .removeKey(key) }
    if let old = json["renameKey"]?.string, let new = json["to"]?.string {
      return .renameKey(old, to: new)
    }
    throw BrowseError("What is to become of the element of \(place)?")
  }

  private func element(
    _ json: JSON, _ type: ValueType, _ place: String, _ depth: Int
  ) throws -> Any? {
    if json == .null {
      guard type.isOptional || type.base == .scalar(.any) else {
        throw BrowseError("\(place) is required.")
      }
      return nil
    }
    if case .object(let target) = type.base {
      let index = json["created"]?.int.map { Int(clamping: $0) }
      if let identity = json["link"]?.string.flatMap({ Int64($0) })
        ?? index.flatMap({ created.indices.contains($0) ? created[$0] : nil })
      {
        return try content.object(target, identity)
      }
      if let values = json["object"]?.object, let model = content.schema.model(named: target) {
        return try members(values, of: model, depth: depth + 1)
      }
      throw BrowseError("\(place) takes an object of \(target).")
    }
    guard let text = json["text"]?.string, let scalar = content.schema.storedScalar(of: type.base)
    else { throw BrowseError("\(place) takes a text.") }
    if scalar == .any, let kind = json[PageCells.kind]?.string.flatMap(ScalarType.init(rawValue:)),
      let kept = Self.kept(text, as: kind)
    {
      return kept
    }
    return try Self.scalar(text, as: scalar, place)
  }

  /// A value for the type `any` that stays of the type that the value before had; nil where the text spells none of it.
  private static func kept(_ text: String, as kind: ScalarType) -> JSON? {
    guard kind != .any, let value = (try? scalar(text, as: kind, "")).flatMap({ $0 as? JSON }),
      let kept = JSONCoding.value(value, as: kind)
    else { return nil }
    return JSONCoding.json(kept, as: .any)
  }

  /// What a user typed, as JSON of the type: numbers are written as they are, everything else is a text that spells a value.
  static func scalar(_ text: String, as scalar: ScalarType, _ place: String) throws -> Any {
    let trimmed = String(text.drop { $0 == " " })
    let json: JSON? =
      switch scalar {
      case .string: .string(text)
      case .bool: trimmed == "true" ? .bool(true) : trimmed == "false" ? .bool(false) : nil
      case _ where scalar.isInteger: Int64(trimmed).map(JSON.int)
      case .float, .double: Double(trimmed).map { $0.isFinite ? .double($0) : .string(trimmed) }
      // A number that is too large, a list or an object is no value: what is typed is a text.
      case .any:
        (try? JSON.parse(text)).flatMap { JSONCoding.value($0, as: .any) == nil ? nil : $0 }
          ?? .string(text)
      default: .string(trimmed)
      }
    guard let json, JSONCoding.value(json, as: scalar) != nil else {
      let form = form(of: scalar).map { " Write it as \($0)." } ?? ""
      throw BrowseError(
        "'\(String(text.prefix(60)))' is no \(scalar.rawValue), which \(place) is.\(form)")
    }
    return json
  }

  /// How a value is typed whose form does not tell itself.
  private static func form(of scalar: ScalarType) -> String? {
    switch scalar {
    case .date: "2026-11-21, or with a time as 2026-11-21T10:30:00Z or 2026-11-21T10:30:00+02:00"
    case .uuid: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    case .objectID: "24 digits from 0 to f, as 507f1f77bcf86cd799439011"
    case .data: "Base64, as aGVsbG8="
    case .decimal: "12.5"
    default: nil
    }
  }
}
