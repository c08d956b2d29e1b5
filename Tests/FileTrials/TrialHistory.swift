import Strata
import StrataExpression
import StrataHistory
import StrataSchema

/// Two versions: names are put together by a declarative step, and everything else stays.
enum TrialHistory {
  static let target = UpgradeTarget(
    history: History(name: "Trial", versions: [first, second]), steps: [])

  static let first = FrozenVersion(
    schema: schema(0, [required("firstName", .string), required("lastName", .string)]), step: nil,
    date: "2026-01-01", stepDigest: nil, chain: Digest(of: "0"))

  private static let second: FrozenVersion = {
    var step = MigrationStep(to: 1)
    do {
      step.set = [
        "Person": ["fullName": try Expression.parse("old.firstName + ' ' + old.lastName")]
      ]
    } catch {
      preconditionFailure("the step's expression is known to be right: \(error)")
    }
    step.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
    return FrozenVersion(
      schema: schema(1, [required("fullName", .string)]), step: step, date: "2026-02-01",
      stepDigest: nil, chain: Digest(of: "1"))
  }()

  private static func schema(_ version: Int, _ names: [Property]) -> Schema {
    let person: [Property] = [
      required("age", .int), required("weight", .double), optional("note", .string),
      optional("picture", .data),
      Property(name: "dogs", type: .list(ValueType(.object("Dog")))),
      Property(name: "best", type: .value(ValueType(.object("Dog"), isOptional: true))),
    ]
    return Schema(
      name: "Trial", version: version,
      models: [
        Model(name: "Dog", properties: [required("age", .int), required("name", .string)]),
        Model(name: "Person", properties: (names + person).sorted { $0.name < $1.name }),
      ])
  }

  private static func required(_ name: String, _ type: ScalarType) -> Property {
    Property(name: name, type: .value(ValueType(.scalar(type))))
  }

  private static func optional(_ name: String, _ type: ScalarType) -> Property {
    Property(name: name, type: .value(ValueType(.scalar(type), isOptional: true)))
  }
}
