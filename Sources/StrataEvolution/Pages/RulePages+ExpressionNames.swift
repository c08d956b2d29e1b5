import StrataSource

extension RulePages {
  static let expressionNames: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6101"),
      """
      The model has no property of that name. In a step, old names count.
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
          set: { Person: { extra: "old.agee" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6102"),
      """
      A variable is known inside of the SUBQUERY that names it.
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
          set: { Person: { extra: "SUBQUERY(old.dogs, $d, $e.name == 'Rex').@count" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "SUBQUERY(old.dogs, $d, $d.name == 'Rex').@count" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6103"),
      """
      In a step `old` is the object before it, and there is no other; in a query bare names are properties of the
      object, and there is no `old`.
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
          set: { Person: { extra: "age + 1" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age + 1" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6114"),
      """
      Only a link has properties behind its dot.
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
          set: { Person: { extra: "old.age.x" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6117"),
      """
      `%@` and `$0` are filled where a text is parsed with arguments. A step has none.
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
          set: { Person: { extra: "old.age + $0" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age + 1" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6118"),
      """
      An ignored property lives in the class, not in the file: no query and no step can read it. An inverse is computed, and not known in `back:`.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, draft: { type: string, ignored: true, default: '' } } }
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
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, draft: { type: string, ignored: true, default: '' }, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: length(old.draft) } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: length(old.name) } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6119"),
      """
      `TEXT` asks the full-text index of a property (`indexed: fulltext`). Other properties have none, and a step, which works on
      one object after the other, cannot ask it.
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
          set: { Person: { extra: "if(old.name TEXT 'ada', 1, 0)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "if(old.name CONTAINS[c] 'ada', 1, 0)" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6120"),
      """
      `lookup` finds an object by its primary key. In a step it reads the objects before it, as `old` does: the model has its old name,
      and a model that comes with the version has no objects yet.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, dog: int? } }
            Dog: { properties: { number: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, dog: Dog? } }
            Dog: { properties: { number: int } }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { dog: "lookup(Dog, key: old.dog)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, dog: int? } }
            Dog: { primaryKey: number, properties: { number: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, dog: Dog? } }
            Dog: { primaryKey: number, properties: { number: int } }
          """),
      ]),
  ]
}
