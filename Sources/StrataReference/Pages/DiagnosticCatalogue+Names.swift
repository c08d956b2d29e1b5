import StrataFrontend
import StrataSource

// Of names.

extension DiagnosticCatalogue {
  static let names = [
    page(
      DeclarationDiagnostic.nameInvalid,
      """
      Models, properties, enums and cases become names of tables, columns and Swift declarations. They are identifiers:
      letters of any script, digits and underscores, and no digit first.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              first-name: string
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              firstName: string
        """),
    page(
      DeclarationDiagnostic.nameTaken,
      """
      The name means a type of the language wherever a type is written, so that nothing could ever link to this model.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          date:
            properties: { day: int }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Day:
            properties: { day: int }
        """),
    page(
      DeclarationDiagnostic.nameTwice,
      """
      Models and enums share one scope over all files of the folder, and so do the properties of a model and the cases of an
      enum. In Swift a `swiftName` counts instead of the name, also beside what a model
      inherits.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Mood: { properties: { text: string } }
        enums:
          Mood: { cases: [calm, angry] }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          MoodEntry: { properties: { text: string } }
        enums:
          Mood: { cases: [calm, angry] }
        """),
    page(
      DeclarationDiagnostic.reservedIdentifier,
      """
      Swift has a meaning of its own for the name, or every generated class has a member or uses a type of that name. The
      name can stay in the file and in the database when `swiftName:` gives Swift another one. Enums and their cases have no
      `swiftName`; the raw value of a case can stay: `{standard: default}`.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              description: string
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              description: { type: string, swiftName: about }
        """),
    page(
      DeclarationDiagnostic.nameClash,
      """
      SQLite does not tell upper from lower case in names, and neither do many file systems; Unicode has several spellings of
      one accented letter. Names that differ in nothing else would be one table or column. From version to version a name keeps
      its scalars: a file would have the old ones, and programs ask for the new ones.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              userId: int
              userID: int
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              userId: int
              accountId: int
        """),
    page(
      DeclarationDiagnostic.nameLimit,
      """
      Names take 63 bytes of UTF-8 at most. `_row`, `_owner` and `_index` are columns that the store itself has, and names
      that begin with `sqlite_` or `_strata` belong to the database file. A list, set or map in a model with a primary key is
      not called `primaryKey`, in any case: the table of the collection would have the name of the key's index. A model has
      1,000 properties at most.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              _row: int
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              row: int
        """),
  ]
}
