import StrataExpression
import StrataHistory
import StrataSchema

@testable import Strata

/// The history that most tests upgrade through: a rename, a Swift block, a property that goes and comes back, lists.
enum PeopleHistory {
  static let history = History.chained(
    "People",
    [
      (
        "2026-01-01",
        schema(
          0,
          [
            Model(
              name: "Person",
              properties: [
                .required("firstName", .string), .required("lastName", .string),
                .required("age", .int, default: .int(0)),
              ])
          ]), nil
      ),
      (
        "2026-02-01", schema(1, [personWithEmail]),
        step(1) {
          $0.swiftModels = ["Person"]
          $0.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
        }
      ),
      ("2026-03-01", schema(2, [person]), step(2) { $0.drop = [SchemaPath("Person", "email")] }),
      ("2026-04-01", schema(3, [personWithEmail]), nil),
      (
        "2026-05-01",
        schema(
          4,
          [
            Model(
              name: "Person", properties: personWithEmail.properties + [.list("dogs", of: "Dog")]),
            Model(name: "Dog", properties: [.required("name", .string), .required("age", .int)]),
          ]), nil
      ),
      (
        "2026-06-01",
        schema(
          5,
          [
            Model(
              name: "Person",
              properties: personWithEmail.properties + [
                .list("dogs", of: "Pet"), .optional("nickname", .string),
              ]),
            Model(name: "Pet", properties: [.required("name", .string), .required("age", .int)]),
          ]),
        step(5) {
          $0.renames.models = ["Dog": "Pet"]
          $0.set = ["Person": ["nickname": expression("before(old.fullName, ' ')")]]
        }
      ),
    ])

  static let blocks = [
    Step(to: 1) { step in
      try step.each(PersonBefore.self, PersonAfter.self) { old, new in
        new.fullName = "\(old.firstName) \(old.lastName)"
      }
    }
  ]

  static var target: UpgradeTarget { UpgradeTarget(history: history, steps: blocks) }

  /// The same from any version to the newest by a migration block, which does something else at its end.
  static func classic(_ end: @escaping @Sendable (Migration) -> Void) -> UpgradeTarget {
    UpgradeTarget(classic: history.versions[5].schema) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
      }
      end(migration)
    }
  }

  private static let person = Model(
    name: "Person",
    properties: [.required("fullName", .string), .required("age", .int, default: .int(0))])
  private static let personWithEmail = Model(
    name: "Person",
    properties: person.properties + [.required("email", .string, default: .string(""))])

  private static func schema(_ version: Int, _ models: [Model]) -> Schema {
    Schema(name: "People", version: version, models: models)
  }
}

/// As code generation writes them.
struct PersonBefore: FrozenObject {
  static let modelName = "Person"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var age: Int {
    get { row.value(0) }
    nonmutating set { row.setValue(0, newValue) }
  }
  var firstName: String {
    get { row.value(1) }
    nonmutating set { row.setValue(1, newValue) }
  }
  var lastName: String {
    get { row.value(2) }
    nonmutating set { row.setValue(2, newValue) }
  }
}

struct PersonAfter: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var age: Int {
    get { row.value(0) }
    nonmutating set { row.setValue(0, newValue) }
  }
  var email: String {
    get { row.value(1) }
    nonmutating set { row.setValue(1, newValue) }
  }
  var fullName: String {
    get { row.value(2) }
    nonmutating set { row.setValue(2, newValue) }
  }
}
