import Foundation
import StrataExpression
import StrataSchema
import Testing

@testable import Strata

/// Chains of declarative steps made by chance: every path has to give the same data, and to refuse the same.
@Suite struct GeneratedChainsTests {
  /// More of them: `STRATA_GENERATED_CHAINS=5000 swift test --filter GeneratedChainsTests`.
  private static let count =
    ProcessInfo.processInfo.environment["STRATA_GENERATED_CHAINS"].flatMap { Int($0) } ?? 52

  @Test(arguments: [0, 1, 2, 3])
  func everyPathGivesTheSame(_ part: Int) throws {
    for number in stride(from: part, to: Self.count, by: 4) {
      var chain = GeneratedChain(seed: UInt64(number))
      let history = chain.history()
      let report = try MigrationProof(
        target: UpgradeTarget(history: history), seed: UInt64(number)
      ).run()
      let steps = history.versions.compactMap { $0.step?.json.canonicalText }
      #expect(report.isProven, "chain \(number): \(report)\n\(steps.joined(separator: "\n"))")
    }
  }
}

/// A history made by chance.
private struct GeneratedChain {
  private var random: StepRandom
  private var models: [Model] = []
  private var names = 0

  init(seed: UInt64) { random = StepRandom(seed: seed &+ 1) }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  private mutating func newName(_ prefix: String) -> String {
    names += 1
    return "\(prefix)\(names)"
  }

  mutating func history() -> History {
    models = [
      Model(
        name: "First", properties: (0..<3).map { _ in scalar() } + [.link("other", to: "Second")]),
      Model(
        name: "Second", properties: (0..<3).map { _ in scalar() } + [.list("firsts", of: "First")]),
    ]
    var versions: [(date: String, schema: Schema, step: MigrationStep?)] = [
      ("2026-01-01", Schema(name: "Chain", version: 0, models: models), nil)
    ]
    for version in 1...(2 + pick(3)) {
      var step = MigrationStep(to: version)
      for index in models.indices { change(index, &step) }
      versions.append(
        ("2026-01-01", Schema(name: "Chain", version: version, models: models), step))
    }
    return .chained("Chain", versions)
  }

  private mutating func scalar() -> Property {
    let type: ScalarType = [.int, .int32, .int8, .string, .string, .double, .bool, .date][pick(8)]
    let name = newName("p")
    return pick(2) == 0 ? .optional(name, type) : .required(name, type)
  }

  private func with(_ property: Property, optional: Bool) -> Property {
    var property = property
    if case .value(var type) = property.type {
      type.isOptional = optional
      property.type = .value(type)
    }
    return property
  }

  /// One change to one model.
  private mutating func change(_ index: Int, _ step: inout MigrationStep) {
    let model = models[index]
    let scalars = model.properties.filter { $0.type.valueType?.base.scalar != nil }
    guard !scalars.isEmpty else { return }
    let old = scalars[pick(scalars.count)]
    let scalar = old.type.valueType?.base.scalar ?? .string
    let isOptional = old.type.valueType?.isOptional ?? false
    var properties = model.properties.filter { $0.name != old.name }

    switch pick(11) {
    case 0:
      properties.append(old)
      properties.append(.required(newName("d"), .string, default: .string("new")))
    case 1 where scalars.count > 1:
      step.drop.insert(SchemaPath(model.name, old.name))
    case 2:
      var renamed = old
      renamed.name = newName("r")
      step.renames.properties[SchemaPath(model.name, old.name)] = renamed.name
      properties.append(renamed)
    case 3:
      properties.append(with(old, optional: true))
    case 4:
      // Refused where a value is missing.
      properties.append(with(old, optional: false))
    case 5 where scalar.isInteger:
      var wider = old
      wider.type = .value(ValueType(.scalar(.string), isOptional: isOptional))
      properties.append(wider)
    case 5 where scalar == .int32 || scalar == .int8:
      var wider = old
      wider.type = .value(ValueType(.scalar(.double), isOptional: isOptional))
      properties.append(wider)
    case 6:
      properties.append(old)
      let value = isOptional && scalar == .string ? "(old.\(old.name) ?? '')" : "old.\(old.name)"
      let text = scalar == .string ? "\(value) + '!'" : "string(\(value)) ?? 'none'"
      let isSure = scalar == .string || isOptional
      properties.append(.required(newName("s"), .string, default: .string("")))
      guard let new = properties.last else { return }
      step.set[model.name] = [
        new.name: expression(isSure ? text : "string(\(value))")
      ]
    case 7 where scalar == .int:
      // Refused where it overflows.
      properties.append(old)
      let name = newName("o")
      properties.append(.optional(name, .int))
      step.set[model.name] = [name: expression("old.\(old.name) + 1")]
    case 8 where scalar.isInteger:
      properties.append(old)
      step.delete[model.name] = expression("old.\(old.name) < 0")
    case 9:
      properties.append(old)
      step.deduplicate[model.name] = Deduplication(
        properties: [old.name], keep: pick(2) == 0 ? .first : .last)
    case 10 where scalar == .string || scalar.isInteger:
      // Refused where two have the same, except where they become one.
      var unique = old
      unique.isUnique = true
      properties.append(unique)
      if pick(2) == 0 {
        step.deduplicate[model.name] = Deduplication(properties: [old.name], keep: .first)
      }
    default: properties.append(old)
    }
    models[index] = Model(name: model.name, properties: properties)
  }
}
