import StrataSource

extension RulePages {
  static let expressionCollections: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6108"),
      """
      A path through a collection has many values, where one is expected. Take an element or an aggregate.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length(old.dogs.name)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length(old.dogs[0].name)" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6109"),
      """
      An aggregate, a quantifier, an index and SUBQUERY are about collections.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age.@sum" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.dogs.@count" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6116"),
      """
      ANY, ALL and NONE stand before one comparison of a path through a collection.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          delete: { Person: ANY old.age > 3 }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          delete: { Person: ANY old.dogs.name == 'Rex' }
          """)
      ]),
  ]
}
