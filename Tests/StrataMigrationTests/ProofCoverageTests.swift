import StrataHistory
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// What a proof looks at, and that it says where it did not look.
@Suite struct ProofCoverageTests {
  /// A seed for each test, so that a failure can be repeated.
  private let seed: UInt64 = 42

  private func target(_ older: [Model], _ newer: [Model], _ step: MigrationStep? = nil)
    -> UpgradeTarget
  {
    UpgradeTarget(
      history: .chained(
        "Pets",
        [
          ("2026-01-01", Schema(name: "Pets", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Pets", version: 1, models: newer), step),
        ]))
  }

  // MARK: - What is generated

  /// What a block has to carry over, too.
  @Test func objectsInCollectionsOfAnyAndOneWithoutAKeyAreTried() {
    let any = ValueType(.scalar(.any))
    let model = Model(
      name: "Thing", primaryKey: ["id"],
      properties: [
        .optional("id", .int), Property(name: "list", type: .list(any)),
        Property(name: "map", type: .map(any)), Property(name: "set", type: .set(any)),
      ])

    let data = ProofGenerator.data(
      for: Schema(name: "Things", version: 0, models: [model]), seed: seed)

    for name in ["list", "map", "set"] {
      #expect(
        data.objects.contains { object in
          object.collections[name, default: []].contains { $0.value.link != nil }
        }, "\(name)")
    }
    #expect(data.objects.count { $0.values["id"] == .null } == 1)
  }

  /// A rule that holds beside few objects only leaves none of many.
  @Test func whatIsNotAmongManyObjectsIsTold() throws {
    let age = Property.required("age", .int)
    func models(_ properties: [Property]) -> [Model] {
      [
        Model(
          name: "Cat", properties: properties,
          rules: [ModelRule(name: "free", condition: "Dog.@count <= 100", sentence: nil)]),
        Model(name: "Dog", properties: [age]),
      ]
    }
    var proof = MigrationProof(
      target: target(models([age]), models([age, .optional("name", .string)]), step(1) { _ in }),
      seed: seed)
    proof.crowd = 300

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
    #expect(
      report.notes == [
        "Among many objects of version 0 at once there is no Cat: none could be generated that keeps the rules there. Files of your own (samples) bring some."
      ])
  }

  // MARK: - Refusals

  /// Cats and dogs without a name are refused; owls have none.
  @Test func aModelThatIsRefusedTooOftenIsLeftOutAndTheOthersAreCompared() throws {
    let owl = Model(name: "Owl", properties: [.required("age", .int)])
    func models(_ name: Property) -> [Model] {
      [Model(name: "Cat", properties: [name]), Model(name: "Dog", properties: [name]), owl]
    }
    var proof = MigrationProof(
      target: target(models(.optional("name", .string)), models(.required("name", .string))),
      seed: seed)
    proof.maximumRefusals = 3
    proof.crowd = 0

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
    #expect(report.paths > 3)
    for model in ["Cat", "Dog"] {
      let start = "After 3 refusals no generated \(model) of version 0 was looked at any more: "
      let note = try #require(report.notes.first { $0.hasPrefix(start) }, "\(report.notes)")
      #expect(note.contains("\(model).name"))
    }
    #expect(!report.notes.contains { $0.contains("Owl") })
  }

  @Test func aModelOfWhichNoneGetsThroughIsToldWithItsOwnRefusal() throws {
    func models(_ cat: Property, _ dog: Property) -> [Model] {
      [Model(name: "Cat", properties: [cat]), Model(name: "Dog", properties: [dog])]
    }
    func ruled(_ name: String) -> Model {
      Model(
        name: name, properties: [.required("age", .int)],
        rules: [ModelRule(name: "no\(name)", condition: "age > age", sentence: nil)])
    }
    let age = Property.required("age", .int)
    var proof = MigrationProof(
      target: target(models(age, age), [ruled("Cat"), ruled("Dog")]), seed: seed)
    proof.objectsPerModel = 4
    proof.crowd = 0

    let report = try proof.run()

    for model in ["Cat", "Dog"] {
      let note = try #require(
        report.notes.first { $0.hasPrefix("No generated \(model) of version 0 gets through: ") },
        "\(report.notes)")
      #expect(note.contains("no\(model)"))
    }
  }

  @Test func aProofThatHasComparedNothingFails() throws {
    let cats = [Model(name: "Cat", properties: [.required("age", .int)])]
    let more = [
      Model(name: "Cat", properties: [.required("age", .int), .optional("name", .string)])
    ]
    var proof = MigrationProof(target: target(cats, more), seed: seed)
    proof.maximumRefusals = 0
    proof.crowd = 0
    proof.engine = { _, _ in throw MigrationError(.blockFailed, "No.") }

    let report = try proof.run()

    #expect(!report.isProven)
    #expect(report.failures.map(\.step) == [1])
    #expect(report.failures.first?.explanation.contains("no path was compared") == true)
    #expect(report.description.contains(": 1 failure."))
  }

  /// A key that the step makes the same for all.
  @Test func manyObjectsThatDoNotGetThroughAreTold() throws {
    let key = Property.required("key", .int)
    var proof = MigrationProof(
      target: target(
        [Model(name: "Cat", primaryKey: ["key"], properties: [key, .optional("name", .string)])],
        [Model(name: "Cat", primaryKey: ["key"], properties: [key])],
        step(1) { $0.set = ["Cat": ["key": expression("7")]] }),
      seed: seed)
    proof.objectsPerModel = 2
    proof.crowd = 50

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
    let start = "Many objects of version 0 at once were not upgraded, "
    #expect(report.notes.count { $0.hasPrefix(start) } == 1, "\(report.notes)")
  }

  // MARK: - Objects that blocks create

  /// Two cats of one name and one of another, and the other way round.
  @Test(
    arguments: [
      (["a", "a", "b"], ["a", "b", "b"], "name"), (["a", "a", "b"], ["a", "b"], nil),
      (["a", "b"], ["a", "b", "b"], nil), (["a", "b", "b"], ["b", "a", "b"], ""),
    ] as [([String], [String], String?)])
  func createdObjectsAreCounted(names: [String], others: [String], property: String?) {
    let schema = Schema(
      name: "Pets", version: 0,
      models: [Model(name: "Cat", properties: [.required("name", .string)])])
    func data(_ names: [String]) -> ProofData {
      let cats = names.enumerated().map { number, name in
        ProofObject(
          model: "Cat", identity: Int64(10 + number), values: ["name": .string(name)])
      }
      return ProofData(schema: schema, objects: cats, nextRow: 20)
    }

    let found = ContentComparison(schema: schema, createdFrom: 10)
      .difference(data(names), data(others))

    if property == "" {
      #expect(found == nil)
    } else {
      #expect(found?.property == property)
      #expect(found?.isOfCreated == true)
      #expect(found?.model == "Cat")
    }
  }

  // MARK: - Values at the edges

  @Test func keysUniqueValuesAndSetsHaveValuesAtTheEdges() throws {
    var email = Property.required("email", .string)
    email.isUnique = true
    let cat = Model(
      name: "Cat", primaryKey: ["number"],
      properties: [
        .required("number", .int), email,
        Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
      ])
    let schema = Schema(name: "Pets", version: 0, models: [cat])

    let data = ProofGenerator.data(for: schema, seed: seed)

    let numbers = data.objects.compactMap { $0.values["number"] }
    let emails = data.objects.compactMap { $0.values["email"] }
    let tags = Set(data.objects.flatMap { ($0.collections["tags"] ?? []).map(\.value) })
    #expect(data.objects.count == ProofGenerator.objectsPerModel)
    #expect(Set(numbers).count == numbers.count && Set(emails).count == emails.count)
    #expect(Set(numbers).isSuperset(of: [.int(.max), .int(.min), .int(-1)]))
    // To Swift's strings the last two are one; to a unique index they are not.
    let texts = ["", "a", "A", "\u{E9}", "e\u{301}"].map { Value.string($0) }
    #expect(Set(emails).isSuperset(of: texts))
    #expect(tags.intersection(BoundaryValues.distinct(of: .string)).count >= 3)
    for object in data.objects {
      let elements = (object.collections["tags"] ?? []).map(\.value)
      #expect(Set(elements).count == elements.count)
    }
    #expect(data.objects == ProofGenerator.data(for: schema, seed: seed).objects)
  }
}
