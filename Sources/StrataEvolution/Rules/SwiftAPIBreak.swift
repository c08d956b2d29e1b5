import StrataSchema
import StrataSource

extension Rule {
  /// How many names a message lists.
  private static let maximumNames = 10

  static let swiftAPIBreak = Rule(
    "STR3901", "swift-api-break", .warning, .advice,
    "What other packages call in the generated classes is gone or has another type.",
    help: { _ in "raise the package's major version" },
    .pair { pair in
      guard pair.hasPublicClasses else { return [] }
      let symbols = brokenSymbols(pair).sorted()
      guard pair.isOpen, !symbols.isEmpty else { return [] }
      let shown = symbols.prefix(maximumNames).joined(separator: ", ")
      let more = symbols.count - min(symbols.count, maximumNames)
      return [
        Finding(
          "callers of the generated classes break: \(shown)"
            + (more > 0 ? " and \(more) more" : ""),
          at: pair.newer.places.version)
      ]
    })

  private static func brokenSymbols(_ pair: CheckedPair) -> [String] {
    let (old, new) = (pair.older.schema, pair.newer.schema)
    var symbols: [String] = []
    for model in old.models {
      let name = model.classOrProtocol
      guard let now = new.models.first(where: { $0.classOrProtocol == name }),
        // Neither `any` of a protocol nor what conforms to it goes on with a class.
        now.isAbstract == model.isAbstract
      else {
        symbols.append(name)
        continue
      }
      let members = Dictionary(
        now.properties.map { ($0.member, $0) }, uniquingKeysWith: { first, _ in first })
      for property in model.properties {
        let found = members[property.member]
        if found.map({ $0.type.inSwift(new) }) != property.type.inSwift(old) {
          symbols.append("\(name).\(property.member)")
        }
      }
      if model.isAbstract { continue }
      let before = Set(model.properties.filter(\.isRequiredArgument).map(\.member))
      symbols += now.properties.filter { $0.isRequiredArgument && !before.contains($0.member) }
        .map { "\(name).init without \($0.member)" }
    }
    for enumeration in old.enums {
      guard let now = new.enumeration(named: enumeration.name) else {
        symbols.append(enumeration.name)
        continue
      }
      if now.rawType != enumeration.rawType { symbols.append("\(enumeration.name).rawValue") }
      let names = Set(now.cases.map(\.name))
      symbols += enumeration.cases.filter { !names.contains($0.name) }.map {
        "\(enumeration.name).\($0.name)"
      }
    }
    return symbols
  }
}

extension Model {
  /// What the generated class or protocol is called.
  fileprivate var classOrProtocol: String { swiftName ?? name }
}

extension Property {
  /// What the property is called in the generated class.
  fileprivate var member: String { swiftName ?? name }

  /// Whether the generated initialiser has to be given a value.
  fileprivate var isRequiredArgument: Bool {
    guard case .value(let type) = type, !isIgnored, generate == nil, !type.isOptional else {
      return false
    }
    return defaultValue?.isNull ?? true
  }
}

extension PropertyType {
  /// With classes by what they are called in Swift, so that a renamed model that keeps its class is the same.
  fileprivate func inSwift(_ schema: Schema) -> PropertyType {
    func name(_ model: String) -> String {
      schema.model(named: model)?.classOrProtocol ?? model
    }
    func named(_ type: ValueType) -> ValueType {
      guard case .object(let model) = type.base else { return type }
      return ValueType(.object(name(model)), isOptional: type.isOptional)
    }
    return switch self {
    case .value(let type): .value(named(type))
    case .list(let type): .list(named(type))
    case .set(let type): .set(named(type))
    case .map(let type): .map(named(type))
    // Which of its links it follows is nothing that a caller writes.
    case .inverse(let model, _): .inverse(model: name(model), property: "")
    }
  }
}
