import Strata
import StrataSchema

/// One thing in which two files of one version differ.
struct ContentDifference: Hashable {
  var model: String
  var identity: Int64
  var object: String
  /// Nil where the whole object is missing, or should not be there.
  var property: String?
  var expected: String
  var found: String
  /// Whether the object, or one that the property leads to, was created by a block.
  var isOfCreated = false
}

/// Compares two contents object by object, through identity.
struct ContentComparison {
  let schema: Schema
  /// Objects from this identity on were created by blocks and are compared by what they hold: enumerating backwards
  /// numbers them differently, and may. Nil where numbers have to agree.
  var createdFrom: Int64?

  /// The first difference.
  func difference(_ expected: ProofData, _ found: ProofData) -> ContentDifference? {
    let (mine, theirs) = (Colours(expected, createdFrom), Colours(found, createdFrom))
    return numberedDifferences(expected, found, mine, theirs, maximum: 1).first
      ?? createdDifference(expected, found, mine, theirs)
  }

  /// Of objects whose numbers have to agree all differences: one for each that is missing or should not be there, and one for each
  /// property of the others. Of those that were created the first.
  func differences(_ expected: ProofData, _ found: ProofData) -> [ContentDifference] {
    let (mine, theirs) = (Colours(expected, createdFrom), Colours(found, createdFrom))
    let numbered = numberedDifferences(expected, found, mine, theirs, maximum: .max)
    return createdDifference(expected, found, mine, theirs).map { numbered + [$0] } ?? numbered
  }

  private func numberedDifferences(
    _ expected: ProofData, _ found: ProofData, _ mine: Colours, _ theirs: Colours, maximum: Int
  ) -> [ContentDifference] {
    var differences: [ContentDifference] = []
    let others = Dictionary(
      found.objects.filter { !theirs.isCreated($0.identity) }.map { ($0.identity, $0) }
    ) { first, _ in first }
    for object in expected.objects where !mine.isCreated(object.identity) {
      guard let other = others[object.identity], other.model == object.model else {
        differences.append(difference(object, nil, "an object", "no object"))
        if differences.count >= maximum { return differences }
        continue
      }
      differences += self.differences(object, other, mine, theirs)
      if differences.count >= maximum { return differences }
    }
    let known = Set(expected.identities)
    for object in found.objects
    where !theirs.isCreated(object.identity) && !known.contains(object.identity) {
      differences.append(difference(object, nil, "no object", "an object"))
      if differences.count >= maximum { return differences }
    }
    return differences
  }

  private func differences(
    _ object: ProofObject, _ other: ProofObject, _ mine: Colours, _ theirs: Colours
  ) -> [ContentDifference] {
    (schema.model(named: object.model)?.storedProperties ?? []).compactMap { property in
      let (left, right) = (mine.text(property, of: object), theirs.text(property, of: other))
      // Of bytes: Swift's own == of strings is canonical equivalence.
      if left.isSpelled(like: right) { return nil }
      var difference = difference(object, property.name, left, right)
      difference.isOfCreated =
        mine.isCreated(object.identity) || mine.leadsToCreated(property, of: object)
        || theirs.leadsToCreated(property, of: other)
      return difference
    }
  }

  private func createdDifference(
    _ expected: ProofData, _ found: ProofData, _ mine: Colours, _ theirs: Colours
  ) -> ContentDifference? {
    func coloured(_ data: ProofData, _ colours: Colours) -> [(colour: String, object: ProofObject)]
    {
      data.objects.filter { colours.isCreated($0.identity) }
        .map { (colours.colour(of: $0.identity), $0) }
        .sorted { $0.colour < $1.colour }
    }
    let (left, right) = (coloured(expected, mine), coloured(found, theirs))
    // How often each occurs, and not only whether: two alike and one of another kind are no two of that kind.
    var (leftCounts, rightCounts): ([String: Int], [String: Int]) = ([:], [:])
    for (colour, _) in left { leftCounts[colour, default: 0] += 1 }
    for (colour, _) in right { rightCounts[colour, default: 0] += 1 }
    func surplus(_ colour: String) -> Int {
      leftCounts[colour, default: 0] - rightCounts[colour, default: 0]
    }
    if let lost = left.first(where: { surplus($0.colour) > 0 }) {
      let near = right.first {
        $0.object.model == lost.object.model && surplus($0.colour) < 0
      }
      if let near, let difference = differences(lost.object, near.object, mine, theirs).first {
        return difference
      }
      guard let count = rightCounts[lost.colour] else {
        return created(difference(lost.object, nil, "an object", "no object like it"))
      }
      let expected = leftCounts[lost.colour, default: 0]
      return created(
        difference(lost.object, nil, "\(expected) objects like it", "\(count) like it"))
    }
    if let extra = right.first(where: { surplus($0.colour) < 0 }) {
      guard let count = leftCounts[extra.colour] else {
        return created(difference(extra.object, nil, "no object", "an object"))
      }
      let found = rightCounts[extra.colour, default: 0]
      return created(
        difference(extra.object, nil, "\(count) objects like it", "\(found) like it"))
    }
    return nil
  }

  private func created(_ difference: ContentDifference) -> ContentDifference {
    var difference = difference
    difference.isOfCreated = true
    return difference
  }

  private func difference(
    _ object: ProofObject, _ property: String?, _ expected: String, _ found: String
  ) -> ContentDifference {
    ContentDifference(
      model: object.model, identity: object.identity, object: Self.name(of: object, in: schema),
      property: property,
      expected: expected, found: found)
  }

  /// `Person "ada@example.org"` by its primary key, else `Person #3` by its identity.
  static func name(of object: ProofObject, in schema: Schema) -> String {
    let key = schema.model(named: object.model)?.primaryKey ?? []
    let values = key.compactMap { object.values[$0] }.filter { !$0.isNull }
    guard !key.isEmpty, values.count == key.count else {
      return "\(object.model) #\(object.identity)"
    }
    return "\(object.model) " + values.map { $0.json.canonicalText }.joined(separator: ", ")
  }
}

/// What stands for links when objects are compared: the identity, or for objects that a block has created what they hold.
private struct Colours {
  /// Rounds in which what is linked to is mixed in.
  private static let maximumRounds = 8

  private let createdFrom: Int64
  private let schema: Schema
  private var colours: [Int64: String] = [:]

  init(_ data: ProofData, _ createdFrom: Int64?) {
    self.createdFrom = createdFrom ?? .max
    schema = data.schema
    let created = data.objects.filter { isCreated($0.identity) }
    guard !created.isEmpty else { return }
    for _ in 0..<Self.maximumRounds {
      var next: [Int64: String] = [:]
      for object in created {
        let properties = schema.model(named: object.model)?.storedProperties ?? []
        let text = properties.map { "\($0.name)=\(self.text($0, of: object))" }
        next[object.identity] =
          Digest(of: ([object.model] + text).joined(separator: "\u{0}")).description
      }
      colours = next
    }
  }

  func isCreated(_ identity: Int64) -> Bool { identity >= createdFrom }

  func colour(of identity: Int64) -> String { colours[identity] ?? "" }

  func leadsToCreated(_ property: Property, of object: ProofObject) -> Bool {
    guard property.type.isCollection else {
      return isCreated(object.values[property.name] ?? .null)
    }
    return (object.collections[property.name] ?? []).contains { isCreated($0.value) }
  }

  private func isCreated(_ value: Value) -> Bool {
    if case .object(_, let identity) = value { return isCreated(identity) }
    return value.link.map { isCreated($0) } ?? false
  }

  func text(_ property: Property, of object: ProofObject) -> String {
    // What a new object generates depends on its number.
    if property.generate != nil, isCreated(object.identity) { return "generated" }
    guard property.type.isCollection else { return text(object.values[property.name] ?? .null) }
    var elements = (object.collections[property.name] ?? []).map { element in
      (element.key.map { "\($0.debugDescription): " } ?? "") + text(element.value)
    }
    if case .list = property.type {} else { elements.sort() }
    return "[" + elements.joined(separator: ", ") + "]"
  }

  private func text(_ value: Value) -> String {
    if case .object(let model, let identity) = value {
      return "\(model) \(text(.link(identity)))"
    }
    if let identity = value.link {
      return isCreated(identity) ? "→ \(colour(of: identity))" : "→ #\(identity)"
    }
    return value.proofText
  }
}

extension Value {
  /// The value with its kind, bit for bit.
  var proofText: String {
    switch self {
    case .null: "nil"
    case .string(let text): text.debugDescription
    case .int(let number): String(number)
    case .bool(let flag): String(flag)
    case .double(let number): number.isNaN ? "NaN \(number.bitPattern)" : String(number)
    case .float(let number): "float " + (number.isNaN ? "NaN \(number.bitPattern)" : "\(number)")
    case .date(let seconds): "date \(seconds)"
    case .data(let bytes): "data " + Hex.encode(bytes)
    case .uuid(let value): value.description
    case .decimal(let value): "decimal " + value.text
    case .objectID(let value): "objectId " + value.description
    case .link(let identity), .object(_, let identity): "→ #\(identity)"
    }
  }
}
