import Foundation
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The tables of docs/encodings.md are what the engine does. `scripts/update-encodings` writes them again.
@Suite struct EncodingPageTests {
  private static let path =
    String(
      #filePath.dropLast("Tests/StrataMigrationTests/Encodings/EncodingPageTests.swift".count)
    ) + "docs/encodings.md"

  @Test func thePageShowsEveryPair() throws {
    let page = try String(contentsOfFile: Self.path, encoding: .utf8)
    var wanted = page
    let planner = StrategyOfPair()
    for (name, table) in [
      ("pairs", try Self.pairs(planner)), ("shapes", try Self.shapes(planner)),
      ("values", Self.values()),
    ] {
      wanted = try Self.replacing(name, by: table, in: wanted)
    }
    if ProcessInfo.processInfo.environment["STRATA_UPDATE_ENCODINGS"] != nil {
      try wanted.write(toFile: Self.path, atomically: true, encoding: .utf8)
    } else {
      #expect(page == wanted, "scripts/update-encodings writes the tables again")
    }
  }

  /// A part of the page between its two marks.
  private static func replacing(_ name: String, by table: String, in page: String) throws -> String
  {
    let (begin, end) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
    let head = try #require(page.range(of: begin))
    let tail = try #require(page.range(of: end))
    return "\(page[..<head.upperBound])\n\(table)\n\(page[tail.lowerBound...])"
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  // MARK: - The tables

  private static func pairs(_ planner: StrategyOfPair) throws -> String {
    let types = EncodingContract.types
    return try table(
      ["from \\ to"] + types.map { "`\($0.rawValue)`" },
      types.map { from in
        try ["`\(from.rawValue)`"] + types.map { try cell(from, $0, planner) }
      })
  }

  private static func cell(
    _ from: ScalarType, _ to: ScalarType, _ planner: StrategyOfPair
  ) throws -> String {
    let pair = TypePair(from, to)
    let types = { (type: ScalarType) in
      PropertyType.value(ValueType(.scalar(type), isOptional: true))
    }
    let text = pair.isAutomatic ? nil : "\(to.rawValue)(old.v)"
    let sign =
      switch (pair.relation, pair.function) {
      case (.same, _): "="
      case (.widened, _): "→"
      case (.spelled, _): "t"
      case (_, .total): "f"
      case (_, .partial): "f?"
      case (_, .none): "·"
      }
    guard sign != "·" else { return sign }
    let strategy =
      switch try planner.strategy(types(from), types(to), text) {
      case .metadata: "m"
      case .setBased: "s"
      default: "o"
      }
    return sign + " " + strategy
  }

  private static func shapes(_ planner: StrategyOfPair) throws -> String {
    let shapes: [(String, (ValueType) -> PropertyType, (ValueType) -> PropertyType)] = [
      ("`T` → `T`", { .value($0) }, { .value($0) }),
      ("`T` → `[T]`", { .value($0) }, { .list($0) }),
      ("`T` → `set<T>`", { .value($0) }, { .set($0) }),
      ("`[T]` → `[T]`", { .list($0) }, { .list($0) }),
      ("`set<T>` → `set<T>`", { .set($0) }, { .set($0) }),
      ("`map<T>` → `map<T>`", { .map($0) }, { .map($0) }),
      ("`[T]` → `set<T>`", { .list($0) }, { .set($0) }),
      ("`set<T>` → `[T]`", { .set($0) }, { .list($0) }),
    ]
    let changes: [(String, ValueType, ValueType)] = [
      ("the same type", type(.int), type(.int)), ("`int32` → `int`", type(.int32), type(.int)),
      ("`string` → `any`", type(.string), type(.any)), ("`date` → `any`", type(.date), type(.any)),
      ("`T` → `T?`", type(.int), type(.int, true)), ("`T?` → `T`", type(.int, true), type(.int)),
      (
        "`Model?`", ValueType(.object("A"), isOptional: true),
        ValueType(.object("A"), isOptional: true)
      ),
    ]
    return try table(
      [""] + changes.map(\.0),
      shapes.map { name, old, new in
        try [name]
          + changes.map { _, from, to in
            // A collection of links has no elements that are nil.
            let isLink = from.base == .object("A")
            func shaped(_ shape: (ValueType) -> PropertyType, _ type: ValueType) -> PropertyType {
              let shaped = shape(type)
              return isLink && shaped.isCollection ? shape(ValueType(type.base)) : shaped
            }
            return try planner.strategy(shaped(old, from), shaped(new, to), nil).rawValue
          }
      })
  }

  private static func type(_ scalar: ScalarType, _ isOptional: Bool = false) -> ValueType {
    ValueType(.scalar(scalar), isOptional: isOptional)
  }

  /// What conversions make of values at the edges.
  private static func values() -> String {
    let digits = "12345678901234567890123456789012345678901234567890.5"
    let values: [(String, Value)] = [
      ("nil", .null), ("`3.7`", .double(3.7)), ("`-0.0`", .double(-0.0)),
      ("`double('nan')`", .double(.nan)), ("`double('inf')`", .double(.infinity)),
      ("`1e19`", .double(1e19)), ("`300`", .int(300)), ("2⁵³ + 1", .int(9_007_199_254_740_993)),
      ("51 digits", DecimalValue(digits).map(Value.decimal) ?? .null),
      ("`'7'`", .string("7")), ("`'x'`", .string("x")), ("`true`", .bool(true)),
      ("`date(1.5)`", .date(1.5)),
    ]
    let targets: [ScalarType] = [.int, .int8, .float, .double, .decimal, .string, .bool, .date]
    return table(
      ["value"] + targets.map { "`\($0.rawValue)`" },
      values.map { name, value in
        [name]
          + targets.map { target in
            let result = Conversion.convert(value, to: target)
            guard !result.isNull else { return "nil" }
            let text = Conversion.string(result) ?? ""
            return text.count > 24 ? "all digits" : "`\(text)`"
          }
      })
  }
}

/// How the plan brings the objects of a model from one declaration of a property to the other.
private struct StrategyOfPair {
  func strategy(_ old: PropertyType, _ new: PropertyType, _ text: String?) throws
    -> UpgradePlan.Strategy
  {
    let target = EncodingPairTests.target(
      [
        [Property(name: "v", type: old)],
        // What is added makes the version another one where the type is the same.
        [Property(name: "v", type: new), .optional("w", .int)],
      ],
      text.map { [1: ["v": expression($0)]] } ?? [:])
    let route = try UpgradeRoute(
      versions: target.history.versions, target: target,
      choices: UpgradeRoute.Choices(mayBeInPlace: true))
    if route.inPlaceChange != nil { return .metadata }
    guard let model = route.passes.first?.models.first, model.statement != nil else {
      return .stream
    }
    return .setBased
  }
}
