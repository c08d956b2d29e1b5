import StrataFrontend
import StrataSource

// Of enums, inheritance, embedding and bounds.

extension DiagnosticCatalogue {
  static let models = [
    page(
      DeclarationDiagnostic.enumEmpty,
      """
      An enum without cases has no value that a property could hold.
      """,
      failing: """
        schema: Example
        version: 0
        enums:
          Mood: { cases: [] }
        """,
      repaired: """
        schema: Example
        version: 0
        enums:
          Mood: { cases: [calm] }
        """),
    page(
      DeclarationDiagnostic.enumValueInvalid,
      """
      Raw values are what the file holds. They are strings, or integers with `type: int`. A plain `1` is no string: quotes
      make it one.
      """,
      failing: """
        schema: Example
        version: 0
        enums:
          Mood: { type: string, cases: { calm: c, angry: 2 } }
        """,
      repaired: """
        schema: Example
        version: 0
        enums:
          Mood: { type: string, cases: { calm: c, angry: "2" } }
        """),
    page(
      DeclarationDiagnostic.enumValueTwice,
      """
      A stored value has to lead back to one case.
      """,
      failing: """
        schema: Example
        version: 0
        enums:
          Mood: { cases: { calm: c, cross: c } }
        """,
      repaired: """
        schema: Example
        version: 0
        enums:
          Mood: { cases: { calm: c, cross: x } }
        """),
    page(
      DeclarationDiagnostic.extendsUnknown,
      """
      `extends:` names another model of the schema, whose declarations this one has, too.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Student:
            extends: Persn
            properties: { school: string }
          Person: { properties: { name: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Student:
            extends: Person
            properties: { school: string }
          Person: { properties: { name: string } }
        """),
    page(
      DeclarationDiagnostic.extendsCycle,
      """
      A model cannot have its own declarations by way of others.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person: { extends: Student, properties: { name: string } }
          Student: { extends: Person, properties: { school: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
          Student: { extends: Person, properties: { school: string } }
        """),
    page(
      DeclarationDiagnostic.inheritedDifferently,
      """
      A model that extends another one has its properties and primary key as they are. It may repeat them exactly (frozen
      versions do), not change them: code that works with the one has to work with the other.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
          Student: { extends: Person, properties: { name: string?, school: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
          Student: { extends: Person, properties: { school: string } }
        """),
    page(
      DeclarationDiagnostic.extendsEmbedded,
      """
      Embedded objects live inside of others, ordinary ones by themselves. A model cannot be of the other sort than the one
      that it extends, unless that one is abstract.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Place: { properties: { city: string } }
          Address: { extends: Place, embedded: true, properties: { street: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Place: { abstract: true, properties: { city: string } }
          Address: { extends: Place, embedded: true, properties: { street: string } }
        """),
    page(
      DeclarationDiagnostic.extendsTooDeep,
      """
      A model has 15 ancestors at most, which bounds what reading a schema can cost. Chains of more than two or three are
      hard to follow anyway: repeat the properties, or link to a model that has them.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Level0: { properties: { p0: int } }
          Level1: { extends: Level0, properties: { p1: int } }
          Level2: { extends: Level1, properties: { p2: int } }
          Level3: { extends: Level2, properties: { p3: int } }
          Level4: { extends: Level3, properties: { p4: int } }
          Level5: { extends: Level4, properties: { p5: int } }
          Level6: { extends: Level5, properties: { p6: int } }
          Level7: { extends: Level6, properties: { p7: int } }
          Level8: { extends: Level7, properties: { p8: int } }
          Level9: { extends: Level8, properties: { p9: int } }
          Level10: { extends: Level9, properties: { p10: int } }
          Level11: { extends: Level10, properties: { p11: int } }
          Level12: { extends: Level11, properties: { p12: int } }
          Level13: { extends: Level12, properties: { p13: int } }
          Level14: { extends: Level13, properties: { p14: int } }
          Level15: { extends: Level14, properties: { p15: int } }
          Level16: { extends: Level15, properties: { p16: int } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Level0: { properties: { p0: int } }
          Level1: { extends: Level0, properties: { p1: int } }
          Level2: { extends: Level1, properties: { p2: int } }
        """),
    page(
      DeclarationDiagnostic.embeddedCycle,
      """
      An embedded object that has to hold another one that has to hold the first would never end.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Box: { embedded: true, properties: { content: Parcel } }
          Parcel: { embedded: true, properties: { box: Box } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Box: { embedded: true, properties: { content: Parcel? } }
          Parcel: { embedded: true, properties: { box: Box } }
        """),
    page(
      DeclarationDiagnostic.schemaTooLarge,
      """
      A schema has 10,000 models at most, and a million properties in all with those that are inherited. That bounds what
      reading it can cost.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          ⟨10001 × Model№: { properties: { name: string } }⟩
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          ⟨100 × Model№: { properties: { name: string } }⟩
        """),
  ]
}
