import StrataEvolution
import StrataSchema
import Testing

/// What holds for the difference of any two schemas, on generated ones.
@Suite("Properties of differences")
struct DiffPropertyTests {
  static let seeds = Array(UInt64(0)..<200)

  @Test("A schema and itself: no difference", arguments: seeds)
  func reflexive(seed: UInt64) throws {
    var random = Random(seed: seed)
    let some = try random.schema()
    #expect(SchemaDiff(from: some, to: some).changes == [])
    // Written and read again it is the same, too.
    #expect(SchemaDiff(from: some, to: try compile(some.canonicalYAML)).changes == [])
  }

  @Test("Backwards the same places change, and each kind is its opposite", arguments: seeds)
  func inverse(seed: UInt64) throws {
    var random = Random(seed: seed)
    let (one, other) = (try random.schema(), try random.schema())
    let there = SchemaDiff(from: one, to: other).changes
    let back = SchemaDiff(from: other, to: one).changes
    #expect(there.isEmpty == back.isEmpty)
    for (kind, opposites) in Self.opposites {
      let forth = Set(there.filter { $0.kind == kind }.map(\.path))
      let reverse = Set(
        back.filter { opposites.contains($0.kind) }.flatMap {
          [$0.path] + [$0.oldPath].compactMap(\.self)
        })
      #expect(forth.isSubset(of: reverse), "\(kind): \(forth.subtracting(reverse))")
    }
  }

  @Test("Every change is found once, and the same in every run", arguments: seeds.prefix(50))
  func once(seed: UInt64) throws {
    var random = Random(seed: seed)
    let (one, other) = (try random.schema(), try random.schema())
    let changes = SchemaDiff(from: one, to: other).changes
    let keys = changes.map {
      "\($0.kind) \($0.path) \($0.oldPath?.description ?? "") \($0.message)"
    }
    #expect(Set(keys).count == keys.count)
    #expect(SchemaDiff(from: one, to: other).changes == changes)
  }

  @Test(
    "What is applied is what comes out: the newer schema has no difference to what was made of the older",
    arguments: seeds.prefix(50))
  func differenceOfShapes(seed: UInt64) throws {
    var random = Random(seed: seed)
    let (one, other) = (try random.schema(), try random.schema())
    // Nothing that matters for data is without a change, and nothing changes where the shape is the same.
    #expect(SchemaDiff(from: one, to: other).changes.isEmpty == (one.shape == other.shape))
  }

  /// What a change is called when it is looked at from the other side.
  private static let opposites: [(ChangeKind, Set<ChangeKind>)] = [
    (.modelAdded, [.modelRemoved, .modelMerged, .modelRenamedUndeclared]),
    (.modelRemoved, [.modelAdded, .modelSplit, .modelRenamedUndeclared]),
    (.modelRenamedUndeclared, [.modelRenamedUndeclared]),
    (
      .propertyAdded,
      [.propertyRemoved, .relationshipRemoved, .propertyMoved, .propertyRenamedUndeclared]
    ),
    (.requiredPropertyAdded, [.propertyRemoved, .relationshipRemoved, .propertyMoved]),
    (
      .propertyRemoved,
      [.propertyAdded, .requiredPropertyAdded, .propertyRenamedUndeclared, .propertyMoved]
    ),
    (.relationshipRemoved, [.propertyAdded, .requiredPropertyAdded]),
    (.propertyRenamedUndeclared, [.propertyRenamedUndeclared]),
    (
      .typeWidened,
      [.typeChangedLossy, .typeChangedIncompatible, .typeWidened, .cardinalityNarrowed]
    ),
    (.typeChangedIncompatible, [.typeChangedIncompatible, .typeChangedLossy, .typeWidened]),
    (.madeRequired, [.madeOptional, .typeChangedLossy, .typeChangedIncompatible]),
    (.linkMadeRequired, [.madeOptional]),
    (
      .madeOptional,
      [.madeRequired, .linkMadeRequired, .typeChangedLossy, .typeChangedIncompatible]
    ),
    (.uniqueAdded, [.uniqueRemoved]), (.uniqueRemoved, [.uniqueAdded, .primaryKeyAdded]),
    (.indexAdded, [.indexRemoved]), (.indexRemoved, [.indexAdded]),
    (.fulltextChanged, [.fulltextChanged]), (.embeddingChanged, [.embeddingChanged]),
    (.primaryKeyAdded, [.primaryKeyChanged]), (.cardinalityWidened, [.cardinalityNarrowed]),
    (.relationshipTargetChanged, [.relationshipTargetChanged]),
    (.orderingChanged, [.orderingChanged]), (.deleteRuleChanged, [.deleteRuleChanged]),
    (.enumAdded, [.enumRemoved]), (.enumRemoved, [.enumAdded]),
    (.enumCaseAdded, [.enumCaseRemoved]), (.enumCaseRemoved, [.enumCaseAdded]),
    (.enumRawTypeChanged, [.enumRawTypeChanged]),
  ]
}

/// Makes schemas out of a seed: a few models and names, so that two of them have much in common.
private struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private static let types = [
    "int", "int?", "int8", "int32", "double", "string", "string?", "bool", "data?", "date", "uuid",
    "any", "[string]", "set<int>", "map<double>", "[string?]", "decimal?", "Mood", "Mood?",
    "{ type: int, default: 3 }", "{ type: int, default: 4 }", "{ type: string, default: x }",
    "{ type: string, indexed: true }", "{ type: string, indexed: fulltext }",
    "{ type: string, unique: true }", "{ type: uuid, generate: uuid }",
  ]

  private mutating func property(_ models: [String]) -> String {
    if UInt8.random(in: 0..<4, using: &self) == 0, let model = models.randomElement(using: &self) {
      return [
        "\(model)?", "[\(model)]", "set<\(model)>", "{ type: \(model)?, deleteRule: deny }",
      ]
      .randomElement(using: &self) ?? ""
    }
    return Self.types.randomElement(using: &self) ?? ""
  }

  mutating func schema() throws -> Schema {
    let models = ["Person", "Dog", "Draft", "Order"].filter { _ in
      Int.random(in: 0..<4, using: &self) > 0
    }
    var text = ""
    for model in models {
      text += "\(model):\n"
      if Bool.random(using: &self) { text += "  primaryKey: id\n" }
      text += "  properties:\n    id: int\n"
      for name in ["name", "age", "code", "link", "more"] where Bool.random(using: &self) {
        text += "    \(name): \(property(models))\n"
      }
    }
    if models.isEmpty { text = "Person: { properties: { id: int } }\n" }
    let cases = ["calm", "angry", "sad"].filter { _ in Bool.random(using: &self) } + ["happy"]
    return try StrataEvolutionTests.schema(
      String(text.dropLast()),
      enums: "Mood: { type: string, cases: [\(cases.joined(separator: ", "))] }")
  }
}
