import StrataExpression
import StrataFrontend
import StrataHistory
package import StrataSchema

/// The JSON Schema (draft 7) of declaration and step files, for completion and checking in editors:
/// `# yaml-language-server: $schema=strata.schema.json`.
///
/// It accepts every valid file, and rejects what has the wrong form. What it cannot say is listed in
/// `unsaid`.
package enum LanguageSchema {
  package enum Kind: String, CaseIterable, Sendable {
    /// Declarations and frozen versions.
    case declarations
    /// `migrations/N.yaml`.
    case steps
  }

  /// The schema of files of one kind; of both without a kind, told apart by `to`.
  package static func json(for kind: Kind? = nil) -> JSON {
    var members: [String: JSON] = [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": .string(
        kind == .steps
          ? "Strata step" : kind == .declarations ? "Strata schema" : "Strata schema or step"),
      "$comment": .string("What no JSON Schema says: " + unsaid.joined(separator: " ")),
      "definitions": definitions,
    ]
    switch kind {
    case .declarations: members["$ref"] = "#/definitions/schemaFile"
    case .steps: members["$ref"] = "#/definitions/stepFile"
    case nil:
      members["if"] = ["type": "object", "required": ["to"]]
      members["then"] = reference("stepFile")
      members["else"] = reference("schemaFile")
    }
    // Draft 7 looks at nothing beside a $ref.
    if let target = members.removeValue(forKey: "$ref") { members["allOf"] = [["$ref": target]] }
    return .object(members)
  }

  /// The rules of the language that a JSON Schema has no words for.
  package static let unsaid = [
    "One file of a folder carries the header, the others do not.",
    "Types, 'extends', 'linkingObjects', keys and indexes name something that exists.",
    "Names are unique, also when only case or Unicode normalisation differs, take 63 bytes at most, and are no words of Swift or of generated classes.",
    "A default is of the property's type and in its range, and a case of its enum.",
    "Indexes, uniqueness, primary keys, generators and delete rules fit the types of their properties.",
    "A required link has a delete rule other than nullify.",
    "Required links, cascades, embedded models and 'extends' lead in no circle.",
    "What is inherited is repeated exactly or not at all.",
    "A rule's condition is true or false, and reads what its model has.",
    "Raw values of an enum are different.",
    "There are at most 10,000 models, and 1,000 properties in each with those it inherits.",
    "Anchors, aliases, tags, directives, duplicate keys and several documents are refused, and quotes tell \"5\" from 5.",
    "A step's file is named after the version in 'to', and its names and expressions fit the versions around it.",
  ]

  // MARK: - Parts

  /// Anything that is no ASCII character, or one that identifiers have.
  private static let head = "[^\\u0000-@\\[-\\^`{-\\u007F]"
  private static let tail = "[^\\u0000-/:-@\\[-\\^`{-\\u007F]*"
  private static let identifier = head + tail

  /// What an editor takes the word `true` for, which is a name here, as any other. A pattern says nothing of a boolean.
  private static let plainText: JSON = ["string", "boolean"]

  private static func reference(_ name: String) -> JSON {
    ["$ref": .string("#/definitions/\(name)")]
  }

  private static func described(_ text: String?, _ schema: JSON) -> JSON {
    guard let text else { return schema }
    // Beside a $ref nothing counts in draft 7.
    if schema["$ref"] != nil { return ["description": .string(text), "allOf": [schema]] }
    var members = schema.object ?? [:]
    members["description"] = .string(text)
    return .object(members)
  }

  private static func object(
    _ properties: [String: JSON], required: [String] = [], isNullable: Bool = false
  ) -> JSON {
    var members: [String: JSON] = [
      "type": isNullable ? ["object", "null"] : "object", "properties": .object(properties),
      "additionalProperties": false,
    ]
    if !required.isEmpty { members["required"] = .array(required.map(JSON.string)) }
    return .object(members)
  }

  /// A mapping of names to things of one kind.
  private static func map(_ names: String, to values: JSON, isNullable: Bool = true) -> JSON {
    [
      "type": isNullable ? ["object", "null"] : "object", "propertyNames": reference(names),
      "additionalProperties": values,
    ]
  }

  private static func list(of items: JSON, minimum: Int = 0) -> JSON {
    ["type": "array", "items": items, "minItems": .int(Int64(minimum))]
  }

  private static func words(_ words: [String]) -> JSON { ["enum": .array(words.map(JSON.string))] }

  private static var definitions: JSON {
    [
      "name": [
        "type": plainText, "pattern": .string("^\(identifier)$"), "minLength": 1,
        "maxLength": .int(Int64(Names.maximumLength)),
      ],
      "path": [
        "type": plainText, "pattern": .string("^\(identifier)(\\.\(identifier))?$"),
      ],
      "linkPath": ["type": "string", "pattern": .string("^\(identifier)\\.\(identifier)$")],
      "text": ["type": ["string", "number", "boolean", "null"]],
      "type": type, "compound": list(of: reference("name"), minimum: 1),
      "schemaFile": schemaFile, "model": model, "property": property, "rule": rule,
      "longProperty": longProperty,
      "enum": enumeration, "stepFile": stepFile,
      "expression": ["type": ["string", "number", "boolean"]],
    ]
  }

  private static var type: JSON {
    let element = " *\(identifier) *\\?? *"
    let pattern = "^(\(element)|\\[\(element)\\] *|set<\(element)> *|map<\(element)> *)$"
    return [
      "anyOf": [
        ["type": plainText, "pattern": .string(pattern)],
        [
          "type": "array", "minItems": 1, "maxItems": 1,
          "items": ["type": plainText, "pattern": .string("^\(element)$")],
        ],
      ]
    ]
  }

  private static var schemaFile: JSON {
    var schema =
      object(
        [
          "schema": described(KeyDocumentation.root["schema"], reference("name")),
          "version": described(
            KeyDocumentation.root["version"],
            ["type": "integer", "minimum": 0, "maximum": .int(Int64(Int32.max))]),
          "language": described(
            KeyDocumentation.root["language"],
            [
              "type": "integer", "minimum": 1,
              "maximum": .int(Int64(SchemaCompiler.newestLanguage)),
            ]),
          "models": described(KeyDocumentation.root["models"], map("name", to: reference("model"))),
          "enums": described(KeyDocumentation.root["enums"], map("name", to: reference("enum"))),
        ], isNullable: true
      ).object ?? [:]
    schema["dependencies"] = [
      "schema": ["version"], "version": ["schema"], "language": ["schema", "version"],
    ]
    return .object(schema)
  }

  private static var model: JSON {
    let schemas: [ModelKey: JSON] = [
      .doc: reference("text"),
      .primaryKey: ["anyOf": [reference("name"), reference("compound")]],
      .embedded: ["type": "boolean"], .extends: reference("name"),
      .abstract: ["type": "boolean"], .indexes: list(of: reference("compound")),
      .unique: list(of: reference("compound")), .swiftName: reference("name"),
      .rules: map("name", to: reference("rule")),
      .properties: map("name", to: reference("property")),
    ]
    return object(
      Dictionary(
        uniqueKeysWithValues: schemas.map {
          ($0.rawValue, described(KeyDocumentation.text($0), $1))
        }), isNullable: true)
  }

  private static var rule: JSON {
    let schemas: [RuleKey: JSON] = [.that: reference("expression"), .says: reference("text")]
    return [
      "anyOf": [
        reference("expression"),
        object(
          Dictionary(
            uniqueKeysWithValues: schemas.map {
              ($0.rawValue, described(KeyDocumentation.text($0), $1))
            }), required: [RuleKey.that.rawValue]),
      ]
    ]
  }

  private static var property: JSON {
    ["anyOf": [reference("type"), reference("longProperty")]]
  }

  private static var longProperty: JSON {
    let schemas: [PropertyKey: JSON] = [
      .type: reference("type"), .default: reference("text"),
      .indexed: ["enum": [true, false, "fulltext"]],
      .unique: ["type": "boolean"], .ignored: ["type": "boolean"],
      .deleteRule: words(Property.DeleteRule.allCases.map(\.rawValue)),
      .linkingObjects: reference("linkPath"),
      .generate: words(Property.Generator.allCases.map(\.rawValue)),
      .swiftName: reference("name"), .doc: reference("text"),
    ]
    var schema =
      object(
        Dictionary(
          uniqueKeysWithValues: schemas.map {
            ($0.rawValue, described(KeyDocumentation.text($0), $1))
          })
      ).object ?? [:]
    // An inverse has no type and nothing that belongs to stored values.
    let stored = PropertyKey.allCases.filter {
      ![.linkingObjects, .doc, .swiftName].contains($0)
    }
    schema["if"] = ["required": ["linkingObjects"]]
    schema["then"] = [
      "properties": .object(
        Dictionary(uniqueKeysWithValues: stored.map { ($0.rawValue, JSON.bool(false)) }))
    ]
    schema["else"] = [
      "required": ["type"], "not": ["required": ["default", "generate"]],
    ]
    return .object(schema)
  }

  private static var enumeration: JSON {
    var schema =
      object(
        [
          "doc": described(KeyDocumentation.text(.doc as EnumKey), reference("text")),
          "type": described(
            KeyDocumentation.text(.type as EnumKey),
            words(EnumType.RawType.allCases.map(\.rawValue))),
          "cases": described(
            KeyDocumentation.text(.cases as EnumKey),
            [
              "anyOf": [
                list(of: reference("name"), minimum: 1),
                [
                  "type": "object", "minProperties": 1, "propertyNames": reference("name"),
                  "additionalProperties": ["type": ["string", "integer"]],
                ],
              ]
            ]),
        ], required: ["cases"]
      ).object ?? [:]
    func rawValues(_ type: String) -> JSON {
      ["properties": ["cases": ["additionalProperties": ["type": .string(type)]]]]
    }
    schema["if"] = ["required": ["type"], "properties": ["type": ["const": "int"]]]
    schema["then"] = rawValues("integer")
    schema["else"] = rawValues("string")
    return .object(schema)
  }

  private static var stepFile: JSON {
    let deduplication = object(
      [
        "by": list(of: reference("name")),
        "keep": words(Deduplication.Keep.allCases.map(\.rawValue)),
      ], required: ["by"])
    var repair =
      object([
        "set": map("name", to: reference("expression")), "delete": reference("expression"),
      ]).object ?? [:]
    repair["minProperties"] = 1
    let acceptance = object(
      ["rule": ["type": "string"], "at": reference("path"), "because": reference("text")],
      required: ["rule", "at", "because"])
    let schemas: [String: JSON] = [
      "to": ["type": "integer", "minimum": 0, "maximum": .int(Int64(Int32.max))],
      "rename": map("path", to: reference("name")),
      "set": map("name", to: map("name", to: reference("expression"))),
      "back": map("name", to: map("name", to: reference("expression"))),
      "delete": map("name", to: reference("expression")),
      "deduplicate": map("name", to: deduplication), "repair": map("linkPath", to: .object(repair)),
      "drop": list(of: reference("path")),
      "swift": list(of: reference("name")), "accept": list(of: acceptance),
    ]
    return object(
      Dictionary(
        uniqueKeysWithValues: schemas.map { ($0, described(KeyDocumentation.step[$0], $1)) }),
      required: ["to"])
  }
}
