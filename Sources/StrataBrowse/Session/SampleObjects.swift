import Strata
import StrataSQLite
import StrataSchema

/// Values for new objects that look like data: what a developer fills a table with to see it.
struct SampleObjects {
  /// Objects of one request at most.
  static let maximumCount = 100
  /// Embedded objects in embedded objects that need not be there at most.
  private static let maximumOptionalDepth = 2
  /// Objects that links are drawn from.
  private static let maximumTargets = 200

  private static let words = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "indigo", "juniper",
    "kite", "lagoon", "maple", "nectar", "opal", "prairie", "quartz", "river", "saffron", "tundra",
  ]

  let content: BrowsedContent
  let model: Model
  private var generator = SystemRandomNumberGenerator()
  private var targets: [String: [Int64]] = [:]
  private var nextKeys: [String: Int64] = [:]

  init(content: BrowsedContent, model: Model) {
    self.content = content
    self.model = model
  }

  /// The values of one object, in the form that a page sends.
  ///
  /// - Throws: `BrowseError` where a required link has nothing to lead to.
  mutating func next() throws -> [String: JSON] {
    try values(of: model, depth: 0)
  }

  private mutating func values(of model: Model, depth: Int) throws -> [String: JSON] {
    var values: [String: JSON] = [:]
    for property in model.storedProperties {
      guard case .value(let type) = property.type else { continue }
      let isUnique =
        property.isUnique || model.primaryKey.contains(property.name)
        || model.uniques.contains { $0.contains(property.name) }
      if type.isOptional, !isUnique, Int.random(in: 0..<5, using: &generator) == 0 { continue }
      if let value = try value(property, type, isUnique, of: model, depth: depth) {
        values[property.name] = value
      }
    }
    return values
  }

  private mutating func value(
    _ property: Property, _ type: ValueType, _ isUnique: Bool, of model: Model, depth: Int
  ) throws -> JSON? {
    switch type.base {
    case .object(let name):
      guard let target = content.schema.model(named: name) else { return nil }
      if target.isEmbedded {
        // A model may embed itself where that is optional.
        guard depth < (type.isOptional ? Self.maximumOptionalDepth : GivenValues.maximumDepth)
        else { return nil }
        do {
          return .object(["object": .object(try values(of: target, depth: depth + 1))])
        } catch is BrowseError where type.isOptional {
          return nil
        }
      }
      guard let identity = try identities(of: name).randomElement(using: &generator) else {
        if type.isOptional { return nil }
        throw BrowseError("\(model.name) needs a \(name), and there is none: make one first.")
      }
      return .object(["link": .string(String(identity))])
    case .enumeration(let name):
      let cases = content.schema.enumeration(named: name)?.cases ?? []
      return cases.randomElement(using: &generator).map {
        .object(["text": .string(PageCells.plainText($0.rawValue))])
      }
    case .scalar(let scalar):
      let number = isUnique ? try nextNumber(of: property, in: model) : nil
      return text(scalar, number).map { .object(["text": .string($0)]) }
    }
  }

  /// - Parameter number: one that no object has, where the value has to be unique.
  private mutating func text(_ scalar: ScalarType, _ number: Int64?) -> String? {
    switch scalar {
    case .bool: return Bool.random(using: &generator) ? "true" : "false"
    case _ where scalar.isInteger:
      return String(number ?? Int64.random(in: 0...100, using: &generator))
    case .float, .double, .decimal:
      return
        "\(Int.random(in: 0...1000, using: &generator)).\(Int.random(in: 0...9, using: &generator))"
    case .string:
      let words = (0..<2).compactMap { _ in Self.words.randomElement(using: &generator) }
      return words.joined(separator: " ") + (number.map { " \($0)" } ?? "")
    case .date:
      // Some day since 2001.
      return DateText.text(of: Double(Int64.random(in: 0...800_000_000, using: &generator)))
    case .uuid:
      return UUIDValue(high: generator.next(), low: generator.next()).description
    case .objectID:
      return ObjectIDValue(
        high: generator.next(), low: UInt32.random(in: 0...(.max), using: &generator)
      ).description
    case .data: return ""
    case .any: return Self.words.randomElement(using: &generator)
    default: return nil
    }
  }

  /// Above the identities of all objects, which no number before was.
  private mutating func nextNumber(of property: Property, in model: Model) throws -> Int64 {
    let place = "\(model.name).\(property.name)"
    var next = nextKeys[place] ?? 0
    if next == 0 {
      let isInteger = property.type.valueType?.base.scalar?.isInteger == true
      let column = SQL.identifier(isInteger ? property.name : LayoutNames.row)
      let largest =
        try content.store.database.firstValue(
          "SELECT max(\(column)) FROM \(SQL.identifier(model.name))")?.ifInteger ?? 0
      next = largest < .max ? largest + 1 : largest
    }
    nextKeys[place] = next == .max ? next : next + 1
    return next
  }

  private mutating func identities(of model: String) throws -> [Int64] {
    if let known = targets[model] { return known }
    let rows = try content.store.database.rows(
      "SELECT _row FROM \(SQL.identifier(model)) ORDER BY _row LIMIT \(Self.maximumTargets)")
    targets[model] = rows.compactMap { $0[0].ifInteger }
    return targets[model] ?? []
  }
}
