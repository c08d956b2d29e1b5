import StrataSource

extension RulePages {
  static let links: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3701"),
      """
      The upgrade would forget what was linked with what. The objects themselves stay.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, dogs: [Dog] } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          drop: [Person.dogs]
          """)
      ]),
    DiagnosticPage(
      rule("STR3702"),
      """
      The link leads to objects of another model, and only you know which one stands for which.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { pet: Dog? } }
            Dog: { properties: { name: string } }
            Cat: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { pet: Cat? } }
            Dog: { properties: { name: string } }
            Cat: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { pet: nil } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3703"),
      """
      Of several values one can stay. Say which. A list has a first one, `old.dogs[0]`, and a set of numbers a smallest
      one, `old.numbers.@min`; of other sets a Swift block takes one.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { dogs: [Dog] } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { dogs: Dog? } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { dogs: 'old.dogs[0]' } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3704"),
      """
      The one object that was linked is the first element; no link is an empty collection.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { dogs: Dog? } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { dogs: [Dog] } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3705"),
      """
      A list has an order and may hold an object twice, a set neither. Going one way loses that, going the other way
      makes an order up.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { dogs: [Dog] } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { dogs: set<Dog> } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: ordering-changed, at: Person.dogs, because: The order was never shown. }]
          """)
      ]),
    DiagnosticPage(
      rule("STR3707"),
      """
      No object changes during the upgrade; but deleting a target does something else from now on: `nullify` empties
      the link, `cascade` deletes the object that holds it, `deny` refuses.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { dog: Dog? } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { dog: { type: Dog?, deleteRule: cascade } } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: delete-rule-changed, at: Person.dog, because: A person without the dog has no meaning. }]
          """)
      ]),
    DiagnosticPage(
      rule("STR3709"),
      """
      Objects without the link exist perhaps, and the new version does not allow them. Give them a target, or delete
      them.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { dog: { type: Dog?, deleteRule: deny } } }
            Dog: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { dog: { type: Dog, deleteRule: deny } } }
            Dog: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Person]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              let stray = try step.create(V1.Dog.self) { $0.name = "Stray" }
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                if old.dog == nil { new.dog = stray.link }
              }
            }
          }
          """),
      ]),
    DiagnosticPage(
      rule("STR3710"),
      """
      An inverse is computed from the links of another model. It is not stored, and no data changes.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { boss: Person? } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { boss: Person?, reports: { linkingObjects: Person.boss } } }
          """),
      ],
      repaired: []),
  ]
}
