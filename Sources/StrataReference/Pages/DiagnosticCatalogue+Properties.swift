import StrataFrontend
import StrataSource

// Of properties, keys and links.

extension DiagnosticCatalogue {
  static let properties = [
    page(
      DeclarationDiagnostic.propertyUnknown,
      """
      A primary key, an index or a uniqueness names a property that the model neither declares nor inherits.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            primaryKey: idd
            properties: { id: uuid }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            primaryKey: id
            properties: { id: uuid }
        """),
    page(
      DeclarationDiagnostic.keyNotApplicable,
      """
      The key exists, and says nothing about a property of this type: only links have a delete rule, collections begin empty,
      an inverse is computed, an ignored property is not stored and has no object that a required link could begin with.
      Remove the key, or change the type.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              tags: { type: "[string]", default: none }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              tags: { type: "[string]" }
        """),
    page(
      DeclarationDiagnostic.primaryKeyType,
      """
      A primary key identifies an object exactly and for ever. Integers, strings, uuid and objectId can; floating point
      numbers, dates, collections and links cannot, and an ignored property is not in the file.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            primaryKey: height
            properties: { height: double }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            primaryKey: id
            properties: { id: uuid, height: double }
        """),
    page(
      DeclarationDiagnostic.primaryKeyOfEmbedded,
      """
      An embedded object is known by its owner and has no identity of its own.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Address:
            embedded: true
            primaryKey: id
            properties: { id: uuid, street: string }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Address:
            embedded: true
            properties: { id: uuid, street: string }
        """),
    page(
      DeclarationDiagnostic.indexType,
      """
      Indexes are over bool, integers, date, string, uuid, objectId and enums; a compound one (`indexes` of a model) takes
      links, too. Links alone are always indexed and need no word about it. `fulltext` indexes the words of a string.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int, indexed: fulltext }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int, indexed: true }
        """),
    page(
      DeclarationDiagnostic.uniqueType,
      """
      Uniqueness compares values: of bool, integers, date, string, uuid, objectId, enums, and of links.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              photo: { type: data, unique: true }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              photo: data
              photoName: { type: string, unique: true }
        """),
    page(
      DeclarationDiagnostic.listedTwice,
      """
      A property stands once in a key or an index, and an index once in the list.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            indexes: [[lastName, lastName]]
            properties: { firstName: string, lastName: string }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            indexes: [[lastName, firstName]]
            properties: { firstName: string, lastName: string }
        """),
    page(
      DeclarationDiagnostic.deleteRuleMissing,
      """
      When the target of a link is deleted, an optional link becomes empty. A required one cannot: the object that holds it
      either goes as well (`cascade`), or keeps its target from being deleted (`deny`). Which of the two is meant only the
      schema can say.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Country: { properties: { name: string } }
          Person:
            properties:
              country: Country
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Country: { properties: { name: string } }
          Person:
            properties:
              country: { type: Country, deleteRule: deny }
        """),
    page(
      DeclarationDiagnostic.generateType,
      """
      `generate: uuid` makes a uuid, `objectId` an objectId, and `now` a date.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              created: { type: string, generate: now }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              created: { type: date, generate: now }
        """),
    page(
      DeclarationDiagnostic.inverseMismatch,
      """
      `linkingObjects:` names a link of a model, and gives all objects of that model whose link leads here. The link has to
      be a to-one link, a list or a set, stored, and its type has to be this model. Links of models that extend another one
      are their own: `Student.boss` is not `Person.boss`, and no object has the links of an abstract model.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              pets: [Dog]
          Dog:
            properties:
              owners: { linkingObjects: Person.pet }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              pets: [Dog]
          Dog:
            properties:
              owners: { linkingObjects: Person.pets }
        """),
    page(
      DeclarationDiagnostic.deleteRuleCycle,
      """
      Required links in a circle could never be made: each object would need another one first. Cascades in a circle of
      models would delete far more than is expected. (A model that cascades to itself is a tree whose branches go with
      their parent, and is allowed.)
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Company: { properties: { boss: { type: Person, deleteRule: deny } } }
          Person: { properties: { company: { type: Company, deleteRule: deny } } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Company: { properties: { boss: Person? } }
          Person: { properties: { company: { type: Company, deleteRule: deny } } }
        """),
  ]
}
