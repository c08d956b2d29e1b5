package import StrataFrontend
import StrataSchema

/// What each key of the language says, in a sentence: shown by editors.
package enum KeyDocumentation {
  package static func text(_ key: ModelKey) -> String {
    switch key {
    case .doc: "What an object of the model is; the comment of the generated class."
    case .primaryKey: "The property, or the list of properties, whose values identify an object."
    case .embedded: "Whether its objects live inside of another object and die with it."
    case .extends: "The model whose declarations this one has, too. Tables and queries stay apart."
    case .abstract: "Whether no object is stored; in Swift the model is a protocol."
    case .indexes: "Compound indexes, each a list of properties in its order."
    case .unique: "Compound uniqueness: no two objects agree in all properties of a list."
    case .swiftName: "The name of the generated class, where it is not the model's."
    case .rules: "What every object keeps: a name, a condition and a sentence for people."
    case .properties: "The properties by name: a type, or a mapping with 'type' and more."
    }
  }

  package static func text(_ key: RuleKey) -> String {
    switch key {
    case .that: "The condition over the object, its links and collections: \"age >= 18\"."
    case .says: "The sentence for people, told when an object breaks the rule."
    }
  }

  package static func text(_ key: PropertyKey) -> String {
    switch key {
    case .type: "string, int?, Person?, [Dog], set<string>, map<double> …; '?' means optional."
    case .default: "The value of new objects, and of old ones when the property is new."
    case .indexed: "true for an index, fulltext for searching words of a string."
    case .unique: "Whether no two objects have the same value."
    case .ignored: "Whether the property is in the class and not in the file."
    case .deleteRule:
      "What becomes of the object that holds the link when its target is deleted: nullify empties the link, cascade deletes the holder, deny keeps the target."
    case .linkingObjects:
      "The link whose inverse this property is: Model.property. Computed, not stored."
    case .generate: "Where a new object's value comes from: uuid, objectId or now."
    case .swiftName: "The name in Swift, where it is not the property's."
    case .doc: "What the property is; the comment of the generated property."
    }
  }

  package static func text(_ key: EnumKey) -> String {
    switch key {
    case .doc: "What the enum is; the comment of the generated enum."
    case .type: "The type of the raw values: string (when left out) or int."
    case .cases: "A list of names, or a mapping of names to raw values."
    }
  }

  package static let root: [String: String] = [
    "schema": "The schema's name. One file of the folder carries it, with 'version'.",
    "version": "The version that is worked on, an integer that never decreases.",
    "language": "The edition of the schema language; 1 when left out.",
    "models": "Classes of objects by name.",
    "enums": "Closed lists of values by name.",
  ]

  package static let step: [String: String] = [
    "to": "The version that the step reaches: the number in the file's name.",
    "rename": "Old name: new name. A property's old name is a path, Person.nick.",
    "set": "New model, new property: expression over the old object.",
    "back":
      "Old model, old property: expression over the new object, where a version is taken back.",
    "delete":
      "Old model: condition over the old object. Objects for which it holds are left behind.",
    "deduplicate": "Old model: objects that agree in the properties 'by' become one.",
    "repair":
      "New model and rule: what becomes of objects that break it: { set: { age: 18 } } or { delete: condition }, over the new object.",
    "drop": "Old models and properties whose data is given up on purpose.",
    "swift": "The models that the version's Swift block touches.",
    "accept": "Findings of 'strata check' that were looked at and are meant.",
  ]
}
