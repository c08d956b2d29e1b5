/// What people who come from elsewhere write for the language's keys.
enum KeyHints {
  /// The key that is meant.
  static let meaning: [String: String] = [
    "attributes": "properties", "base": "extends", "class": "swiftName", "classes": "models",
    "columns": "properties", "comment": "doc", "compoundindexes": "indexes",
    "checks": "rules", "condition": "that", "constraints": "unique",
    "description": "doc", "documentation": "doc", "entities": "models", "fields": "properties",
    "fulltext": "indexed", "index": "indexed", "indices": "indexes", "inherits": "extends",
    "inverse": "linkingObjects", "inverseof": "linkingObjects", "invariants": "rules",
    "message": "says", "ondelete": "deleteRule",
    "parent": "extends", "primary": "primaryKey", "rawtype": "type", "schemaversion": "version",
    "superclass": "extends", "tables": "models", "transient": "ignored", "types": "models",
    "uniques": "unique", "values": "cases",
  ]

  /// What to write instead of a key that has no counterpart.
  static let advice: [String: String] = [
    "autoincrement": "a new object's key comes from 'generate: uuid' or from the program",
    "nullable": optionality, "optional": optionality, "required": optionality,
    "primarykey": "the model says 'primaryKey: name', beside 'properties'",
    "renamedfrom": rename, "originalname": rename, "renamingid": rename,
  ]

  private static let optionality =
    "a property is required unless its type ends with '?', as in string?"
  private static let rename = "a schema says what is; migrations/N.yaml says what was renamed"
}
