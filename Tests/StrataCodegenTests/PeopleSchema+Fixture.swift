import StrataCodegen
import StrataSchema

/// A small schema with a link, a list and a default.
func peopleSchema(version: Int = 1) -> Schema {
  Schema(
    name: "People", version: version,
    models: [
      Model(
        name: "Person", doc: "A person in the address book.",
        properties: [
          Property(name: "fullName", doc: "As it is written on letters.", type: .string),
          Property(name: "age", type: .int, defaultValue: .int(0)),
          Property(name: "email", type: .optional(.string)),
          Property(name: "boss", type: .value(ValueType(.object("Person"), isOptional: true))),
          Property(name: "dogs", type: .list(ValueType(.object("Dog")))),
        ]),
      Model(name: "Dog", properties: [Property(name: "name", type: .string)]),
    ])
}

let peopleOrder = DeclarationOrder(
  properties: ["Person": ["fullName", "age", "email", "boss", "dogs"]])

extension PropertyType {
  static func required(_ scalar: ScalarType) -> PropertyType { .value(ValueType(.scalar(scalar))) }
  static func optional(_ scalar: ScalarType) -> PropertyType {
    .value(ValueType(.scalar(scalar), isOptional: true))
  }
  static var string: PropertyType { required(.string) }
  static var int: PropertyType { required(.int) }
}
