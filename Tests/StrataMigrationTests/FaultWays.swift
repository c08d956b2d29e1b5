import StrataExpression
import StrataHistory
import StrataSchema

@testable import Strata

/// The ways in which an upgrade may run, each of which has to survive everything.
enum FaultWay: CaseIterable {
  /// Changes of the file itself, of no row.
  case inPlace
  /// One table is made by a statement, another one is not touched.
  case setBased
  /// The same, object by object.
  case streamed
  /// Several versions with a Swift block in one pass.
  case fused
  /// Steps that look beyond one object, in passes of their own.
  case workspace
  /// The same by a block that takes no notice of what fails.
  case careless
  case output
  case backup
  /// `inPlace` with a backup.
  case inPlaceWithBackup
  /// A migration block that looks at each object by itself.
  case classic
  /// A migration block that looks further, so that there is a draft.
  case classicDraft

  var target: UpgradeTarget {
    switch self {
    case .inPlace, .inPlaceWithBackup: InPlaceTests.everything
    case .setBased, .streamed: Self.declarative
    case .workspace: Self.beyond
    case .careless: Self.beyondCarelessly
    case .fused, .output, .backup: PeopleHistory.target
    case .classic: PeopleHistory.classic { _ in }
    case .classicDraft: PeopleHistory.classic { $0.create("Pet", value: ["name": "Rex"]) }
    }
  }

  /// What knows the file before the upgrade.
  var source: UpgradeTarget {
    self == .classic || self == .classicDraft ? PeopleHistory.target : target
  }

  /// What the plan has to say, so that a way is what its name says.
  var strategies: Set<UpgradePlan.Strategy> {
    switch self {
    case .inPlace, .inPlaceWithBackup: [.metadata, .new]
    case .setBased: [.setBased, .untouched]
    case .streamed: [.stream, .untouched]
    case .workspace, .careless: [.stream]
    case .fused, .output, .backup: [.blocks, .new]
    case .classic, .classicDraft: [.blocks, .new]
    }
  }

  /// Whether the file is one of `PeopleHistory`.
  var upgradesPeople: Bool {
    switch self {
    case .fused, .output, .backup, .classic, .classicDraft: true
    case .inPlace, .inPlaceWithBackup, .setBased, .streamed, .workspace, .careless: false
    }
  }

  var writesOutput: Bool { self == .output }
  var keepsBackup: Bool { self == .backup || self == .inPlaceWithBackup }

  func options(output: String, backup: String) -> Upgrade.Options {
    var options = Upgrade.Options()
    options.isSetBased = self != .streamed
    if writesOutput { options.output = output }
    if keepsBackup { options.backup = backup }
    options.busyTimeout = 0
    return options
  }

  private static func target(
    _ older: [Model], _ newer: [Model], _ blocks: [Step] = [],
    _ change: (inout MigrationStep) -> Void
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), step(1, change)),
        ]),
      steps: blocks)
  }

  private static let people = [
    Model(name: "Dog", properties: [.required("name", .string)]),
    Model(
      name: "Person",
      properties: [
        .required("age", .int), .link("boss", to: "Person"), .list("friends", of: "Person"),
        .required("name", .string),
      ]),
  ]

  /// A person gets a property, dogs stay.
  private static let declarative = target(
    people,
    [
      people[0],
      Model(
        name: "Person",
        properties: people[1].properties + [.required("greeting", .string)]),
    ]
  ) { $0.set = ["Person": ["greeting": expression("'Hello ' + old.name")]] }

  /// People lose some of them and get to know their boss's name, and a block makes a dog for each object that is left.
  private static let beyond = beyond { step in
    for person in try step.objects(DogBefore.self) {
      try step.create(DogAfter.self) { $0.name = "Child of \(person.name)" }
    }
  }

  private static let beyondCarelessly = beyond { step in
    guard let dogs = try? step.objects(DogBefore.self) else { return }
    for dog in dogs { _ = try? step.create(DogAfter.self) { $0.name = "Child of \(dog.name)" } }
  }

  private static func beyond(_ block: @escaping @Sendable (StepContext) throws -> Void)
    -> UpgradeTarget
  {
    target(
      people,
      [
        people[0],
        Model(
          name: "Person", properties: people[1].properties + [.optional("bossName", .string)]),
      ],
      [Step(to: 1, block)]
    ) {
      $0.set = ["Person": ["bossName": expression("old.boss.name")]]
      $0.delete = ["Person": expression("old.age < 0")]
      $0.swiftModels = ["Dog"]
    }
  }
}

struct DogBefore: FrozenObject {
  static let modelName = "Dog"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var name: String { _row.value(0) }
}

struct DogAfter: FrozenObject {
  static let modelName = "Dog"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var name: String {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
}
