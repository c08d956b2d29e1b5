import StrataExpression
package import StrataSchema

// A step as JSON: what the lock digests, and what generated code embeds. Expressions stand as their
// canonical text.

extension MigrationStep {
  /// Members that say nothing are left out, so that an empty step is `{"to":N}`.
  package var json: JSON {
    var members: [String: JSON] = ["to": .int(Int64(to))]
    func add(_ key: String, _ map: [String: JSON]) {
      if !map.isEmpty { members[key] = .object(map) }
    }
    func add(_ key: String, _ names: [String]) {
      if !names.isEmpty { members[key] = .array(names.sorted().map(JSON.string)) }
    }
    add("renameModels", renames.models.mapValues(JSON.string))
    add(
      "renameProperties",
      Dictionary(
        uniqueKeysWithValues: renames.properties.map { ($0.key.description, .string($0.value)) }))
    add("set", set.mapValues { .object($0.mapValues { .string($0.text) }) })
    add("back", back.mapValues { .object($0.mapValues { .string($0.text) }) })
    add("delete", delete.mapValues { .string($0.text) })
    add(
      "deduplicate",
      deduplicate.mapValues {
        .object([
          "by": .array($0.properties.map(JSON.string)), "keep": .string($0.keep.rawValue),
        ])
      })
    add(
      "repair",
      Dictionary(
        uniqueKeysWithValues: repair.map { path, repair in
          var members: [String: JSON] = [:]
          if let condition = repair.delete { members["delete"] = .string(condition.text) }
          if !repair.set.isEmpty {
            members["set"] = .object(repair.set.mapValues { .string($0.text) })
          }
          return (path.description, .object(members))
        }))
    add("drop", drop.map(\.description))
    add("swift", Array(swiftModels))
    if !accept.isEmpty {
      members["accept"] = .array(
        accept.map {
          .object([
            "rule": .string($0.rule), "at": .string($0.at.description),
            "because": .string($0.because),
          ])
        }.sorted { $0.canonicalText < $1.canonicalText })
    }
    return .object(members)
  }

  /// Reads what `json` wrote.
  package init(json: JSON) throws(SchemaFormatError) {
    func path(_ text: String) throws(SchemaFormatError) -> SchemaPath {
      guard let path = SchemaPath(text) else { throw SchemaFormatError("'\(text)' is no path") }
      return path
    }
    func expression(
      _ json: JSON, for use: ExpressionUse = .step
    ) throws(SchemaFormatError) -> Expression {
      do {
        return try Expression.parse(json.string ?? "", for: use)
      } catch {
        throw SchemaFormatError("an expression of step \(json): \(error.message)")
      }
    }
    self.init(to: Int(try json.required("to", \.int)))
    for (old, new) in json["renameModels"]?.object ?? [:] { renames.models[old] = new.string }
    for (old, new) in json["renameProperties"]?.object ?? [:] {
      renames.properties[try path(old)] = new.string
    }
    for (model, properties) in json["set"]?.object ?? [:] {
      for (property, value) in properties.object ?? [:] {
        set[model, default: [:]][property] = try expression(value)
      }
    }
    for (model, properties) in json["back"]?.object ?? [:] {
      for (property, value) in properties.object ?? [:] {
        back[model, default: [:]][property] = try expression(value, for: .back)
      }
    }
    for (model, condition) in json["delete"]?.object ?? [:] {
      delete[model] = try expression(condition)
    }
    for (model, rule) in json["deduplicate"]?.object ?? [:] {
      deduplicate[model] = Deduplication(
        properties: rule["by"]?.array?.compactMap(\.string) ?? [],
        keep: rule["keep"]?.string.flatMap(Deduplication.Keep.init) ?? .first)
    }
    for (rule, members) in json["repair"]?.object ?? [:] {
      var found = Repair()
      if let condition = members["delete"] {
        found.delete = try expression(condition, for: .query)
      }
      for (property, value) in members["set"]?.object ?? [:] {
        found.set[property] = try expression(value, for: .query)
      }
      repair[try path(rule)] = found
    }
    for text in json["drop"]?.array?.compactMap(\.string) ?? [] { drop.insert(try path(text)) }
    swiftModels = Set(json["swift"]?.array?.compactMap(\.string) ?? [])
    for entry in json["accept"]?.array ?? [] {
      accept.append(
        Acceptance(
          rule: try entry.required("rule", \.string),
          at: try path(try entry.required("at", \.string)),
          because: try entry.required("because", \.string)))
    }
  }
}
