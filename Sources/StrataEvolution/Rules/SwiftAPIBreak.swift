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
      let name = model.swiftName ?? model.name
      guard let now = new.models.first(where: { ($0.swiftName ?? $0.name) == name }) else {
        symbols.append(name)
        continue
      }
      for property in model.properties {
        let member = property.swiftName ?? property.name
        let found = now.properties.first { ($0.swiftName ?? $0.name) == member }
        if found?.type != property.type { symbols.append("\(name).\(member)") }
      }
    }
    for enumeration in old.enums {
      guard let now = new.enumeration(named: enumeration.name) else {
        symbols.append(enumeration.name)
        continue
      }
      let names = Set(now.cases.map(\.name))
      symbols += enumeration.cases.filter { !names.contains($0.name) }.map {
        "\(enumeration.name).\($0.name)"
      }
    }
    return symbols
  }
}
