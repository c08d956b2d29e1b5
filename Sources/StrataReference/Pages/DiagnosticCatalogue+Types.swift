import StrataFrontend
import StrataSource

// Of types and defaults.

extension DiagnosticCatalogue {
  static let types = [
    page(
      DeclarationDiagnostic.typeInvalid,
      """
      A type is a name, with a `?` when values may be missing: `string`, `int?`, `Person?`. Collections are `[T]`, `set<T>`
      and `map<T>`; the keys of a map are strings. Collections are not nested, and never optional: they are empty instead.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              scores: map<string, double>
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              scores: map<double>
        """),
    page(
      DeclarationDiagnostic.typeUnknown,
      """
      The name is neither a scalar type nor a model or enum of the schema. All files of the folder count.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: strng
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: string
        """),
    page(
      DeclarationDiagnostic.typeImpossible,
      """
      Some combinations cannot be stored: links to an abstract model (it has no objects), collections of objects with empty
      places, and sets of embedded objects (a set holds each value once, and two embedded objects are never the same).
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Address: { embedded: true, properties: { street: string } }
          Person:
            properties:
              homes: set<Address>
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Address: { embedded: true, properties: { street: string } }
          Person:
            properties:
              homes: [Address]
        """),
    page(
      DeclarationDiagnostic.defaultMismatch,
      """
      A default is a value of the property's type, and within its range. A plain `5` is no string: quotes make it one. Dates
      are ISO 8601 in UTC, data is hexadecimal digits, and an enum's default is the name of a case.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int8, default: 200 }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int16, default: 200 }
        """),
  ]
}
