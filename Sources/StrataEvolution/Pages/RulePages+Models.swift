import StrataSource

extension RulePages {
  static let models: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3101"),
      """
      A new model starts empty: an upgrade has nothing to do for it.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
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
      repaired: []),
    DiagnosticPage(
      rule("STR3102"),
      """
      The upgrade would delete every object of the model. Data is given up on purpose only: say so with `drop:`, or
      move it to other models in a Swift block first.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
            Draft: { properties: { text: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          drop: [Draft]
          """)
      ]),
    DiagnosticPage(
      rule("STR3103"),
      """
      Between two versions nothing but the step says that a model continues under another name. Without it the old
      model's objects are deleted and the new one begins empty. A likely rename is therefore offered and never
      guessed; `strata check --fix` writes it after a yes.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Human: { properties: { name: string, age: int } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          rename: { Person: Human }
          accept: [{ rule: model-renamed, at: Human, because: No SQL names the table. }]
          """)
      ]),
    DiagnosticPage(
      rule("STR3104"),
      """
      The objects, their identity and all links to them stay. What names the table itself, such as raw SQL, exports
      or views, has to follow.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Human: { properties: { name: string } }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          rename: { Person: Human }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3105"),
      """
      The properties that left became those of another model, so that objects of it have to be created, one for each
      old object or one for equal ones. That is a decision, and a Swift block says it.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, street: string, city: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, home: Address? } }
            Address: { properties: { street: string, city: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Person, Address]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                let address = try step.create(V1.Address.self) {
                  $0.street = old.street
                  $0.city = old.city
                }
                new.home = address.link
              }
            }
          }
          """),
      ]),
    DiagnosticPage(
      rule("STR3106"),
      """
      The objects of the model that is gone go on as objects of another one. They have to be created there, and it
      has to be said what happens where keys collide.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Post: { properties: { text: string } }
            Page: { properties: { title: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Entry: { properties: { text: string, title: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Post, Page, Entry]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              for old in try step.objects(V0.Post.self) {
                try step.create(V1.Entry.self) { $0.text = old.text }
              }
              for old in try step.objects(V0.Page.self) {
                try step.create(V1.Entry.self) { $0.title = old.title }
              }
            }
          }
          """),
      ]),
    DiagnosticPage(
      rule("STR3107"),
      """
      An embedded object belongs to exactly one owner and is deleted with it. A model of its own may be linked to
      from anywhere, or from nowhere. Going from one to the other needs a word on objects without an owner and on
      those with several.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { home: Address? } }
            Address: { embedded: true, properties: { city: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { home: Address? } }
            Address: { properties: { city: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Address]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Address.self, V1.Address.self) { old, new in
                new.city = old.city
              }
            }
          }
          """),
      ]),
  ]
}
