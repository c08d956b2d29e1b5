import Strata
import StrataExpression
import StrataHistory
import StrataSchema

extension UpgradeTarget {
  static let people = schema(0, [required("firstName"), required("lastName"), age])

  /// firstName and lastName become fullName by an expression.
  static var declarative: UpgradeTarget {
    make([
      (people, nil),
      (
        fullNameSchema(1),
        step(1) {
          $0.set = ["Person": ["fullName": expression("old.firstName + ' ' + old.lastName")]]
          $0.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
        }
      ),
    ])
  }

  /// The same by a block.
  static var block: UpgradeTarget {
    make(
      [
        (people, nil),
        (
          fullNameSchema(1),
          step(1) {
            $0.swiftModels = ["Person"]
            $0.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
          }
        ),
      ],
      [
        Step(to: 1) { step in
          try step.each(OldPerson.self, NewPerson.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
  }

  /// The same by a migration block that names the properties.
  static var classic: UpgradeTarget {
    UpgradeTarget(classic: fullNameSchema(1)) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard let first = old?["firstName"] as? String, let last = old?["lastName"] as? String
        else { return }
        new?["fullName"] = "\(first) \(last)"
      }
    }
  }

  /// The same by a migration block that looks further than its two objects, so that there is a draft.
  static var classicDraft: UpgradeTarget {
    UpgradeTarget(classic: fullNameSchema(1)) { migration, _ in
      migration.create("Person", value: ["fullName": "", "age": 0])
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard let first = old?["firstName"] as? String, let last = old?["lastName"] as? String
        else { return }
        new?["fullName"] = "\(first) \(last)"
      }
    }
  }

  static var optionalProperty: UpgradeTarget {
    let email = Property(
      name: "email", type: .value(ValueType(.scalar(.string), isOptional: true)))
    return make([
      (people, nil),
      (schema(1, [required("firstName"), required("lastName"), age, email]), nil),
    ])
  }

  /// The name is put together in the first version; 49 more count the age up.
  static var fifty: UpgradeTarget {
    make(
      [(people, nil)]
        + (1...50).map { version in
          (
            fullNameSchema(version),
            step(version) {
              if version == 1 {
                $0.set = ["Person": ["fullName": expression("old.firstName + ' ' + old.lastName")]]
                $0.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
              } else {
                $0.set = ["Person": ["age": expression("old.age + 1")]]
              }
            }
          )
        })
  }

  private static func fullNameSchema(_ version: Int) -> Schema {
    let email = Property(
      name: "email", type: .value(ValueType(.scalar(.string), isOptional: true)))
    return schema(version, [required("fullName"), age, email])
  }

  private static let age = Property(name: "age", type: .value(ValueType(.scalar(.int))))

  private static func required(_ name: String) -> Property {
    Property(name: name, type: .value(ValueType(.scalar(.string))))
  }

  private static func schema(_ version: Int, _ properties: [Property]) -> Schema {
    Schema(
      name: "People", version: version, models: [Model(name: "Person", properties: properties)])
  }

  private static func step(_ version: Int, _ change: (inout MigrationStep) -> Void) -> MigrationStep
  {
    var step = MigrationStep(to: version)
    change(&step)
    return step
  }

  private static func expression(_ text: String) -> Expression {
    do {
      return try Expression.parse(text)
    } catch {
      preconditionFailure("\(text): \(error.message)")
    }
  }

  private static func make(_ versions: [(Schema, MigrationStep?)], _ steps: [Step] = [])
    -> UpgradeTarget
  {
    var chain = Digest(of: "")
    let frozen = versions.map { schema, step in
      chain = Digest(of: "\(chain) \(schema.version) \(schema.shape)")
      return FrozenVersion(
        schema: schema, step: step, date: "2026-01-01", stepDigest: nil,
        // Every history begins with the same file.
        chain: schema.version == 0 ? Digest(of: "0") : chain)
    }
    return UpgradeTarget(history: History(name: "People", versions: frozen), steps: steps)
  }
}

struct OldPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 0
  let _row: FrozenRow
  init(_row: FrozenRow) { self._row = _row }
  var firstName: String { _row.value(1) }
  var lastName: String { _row.value(2) }
}

struct NewPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
  init(_row: FrozenRow) { self._row = _row }
  var fullName: String {
    get { _row.value(2) }
    nonmutating set { _row.setValue(2, newValue) }
  }
}
