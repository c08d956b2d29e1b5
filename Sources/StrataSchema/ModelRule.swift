/// A condition that every object of a model keeps.
///
/// It is part of what a version means, and not of how it is stored: the shape of a schema does not know it.
package struct ModelRule: Hashable, Sendable {
  package var name: String
  /// The condition over the object, its links and collections, in the canonical text of the expression language.
  package var condition: String
  /// The sentence for people; nil where there is none.
  package var sentence: String?

  package init(name: String, condition: String, sentence: String?) {
    self.name = name
    self.condition = condition
    self.sentence = sentence
  }
}

extension Schema {
  /// Whether any stored model has a rule.
  package var hasRules: Bool { models.contains { !$0.isAbstract && !$0.rules.isEmpty } }

  /// The rules of all stored models, by model; nil where there are none.
  package var rulesJSON: JSON? {
    guard hasRules else { return nil }
    return .object(
      Dictionary(
        uniqueKeysWithValues: storedModels.filter { !$0.rules.isEmpty }.map { model in
          (
            model.name,
            .object(
              Dictionary(
                uniqueKeysWithValues: model.rules.map { ($0.name, .string($0.condition)) }))
          )
        }))
  }

  /// The digest of `rulesJSON`, without the sentences; nil where there are no rules.
  package var rulesDigest: Digest? { rulesJSON.map { Digest(of: $0.canonicalText) } }

  /// Whether two schemas have the same rules, sentences aside.
  package func hasRules(of other: Schema) -> Bool {
    if !hasRules, !other.hasRules { return true }
    guard let rules = rulesJSON, let others = other.rulesJSON else { return false }
    return rules.isSpelled(like: others)
  }

  /// Whether two schemas mean the same for data: how it is stored, which cases its values are, and what it keeps.
  package func hasMeaning(of other: Schema) -> Bool {
    hasShape(of: other) && storesCases(as: other) && hasRules(of: other)
  }
}

extension ModelRule {
  /// Without what says nothing.
  var json: JSON {
    var members: [String: JSON] = ["name": .string(name), "that": .string(condition)]
    if let sentence { members["says"] = .string(sentence) }
    return .object(members)
  }

  init(json: JSON) throws(SchemaFormatError) {
    self.init(
      name: try json.required("name", \.string), condition: try json.required("that", \.string),
      sentence: json["says"]?.string)
  }
}
