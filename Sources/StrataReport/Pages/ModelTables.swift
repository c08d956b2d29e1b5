import StrataSchema

/// All models and enums of a version as tables: what the diagram shows, for reading line by line.
struct ModelTables {
  let schema: Schema

  var markup: Markup {
    let users = Self.users(schema)
    let models = schema.models.map { table($0, users[$0.name] ?? []) }
    let enums = schema.enums.map { table($0) }
    return """
      <section aria-labelledby="h-models"><h2 id="h-models">Models one by one</h2><div class="tables">\(models)\(enums)\
      </div></section>
      """
  }

  /// The links that lead to each model.
  private static func users(_ schema: Schema) -> [String: [SchemaPath]] {
    var users: [String: [SchemaPath]] = [:]
    for model in schema.models {
      for property in model.properties where !property.type.isInverse {
        guard let target = property.type.linkedModel else { continue }
        users[target, default: []].append(SchemaPath(model.name, property.name))
      }
    }
    return users
  }

  private func table(_ model: Model, _ users: [SchemaPath]) -> Markup {
    let rows = model.properties.map { property -> Markup in
      """
      <tr><th scope="row">\(property.name)</th><td>\(type(property))</td><td>\(facts(property, of: model))</td>\
      <td dir="auto">\(property.doc ?? "")</td></tr>
      """
    }
    let badge = DiagramGraph.badge(model)
    let more: [Markup] = [
      model.extends.map { "<p>extends <a href=\"#model-\($0)\">\($0)</a></p>" } ?? "",
      model.primaryKey.isEmpty
        ? "" : "<p>primary key <code>\(model.primaryKey.joined(separator: ", "))</code></p>",
      model.indexes.isEmpty
        ? ""
        : "<p>indexes \(model.indexes.map { "<code>\($0.joined(separator: ", "))</code> " as Markup })</p>",
      model.uniques.isEmpty
        ? ""
        : "<p>unique \(model.uniques.map { "<code>\($0.joined(separator: ", "))</code> " as Markup })</p>",
      model.rules.isEmpty
        ? ""
        : "<p>rules \(model.rules.map { "<code>\($0.name): \($0.condition)</code> " as Markup })</p>",
      users.isEmpty
        ? ""
        : "<p>linked from \(users.map { "<a href=\"#model-\($0.model)\">\($0.description)</a> " as Markup })</p>",
    ]
    return """
      <details class="model" id="model-\(model.name)" data-text="\(searched(model))"><summary><span class="name">\
      \(model.name)</span>\(badge.isEmpty ? nil : "<span class=\"tag\">\(badge)</span>" as Markup) <span class="count">\
      \(model.properties.count)<span class="hidden"> properties</span></span></summary>\
      \(model.doc.map { "<p class=\"doc\" dir=\"auto\">\($0)</p>" as Markup })\(more)<div class="scroll" tabindex="0" \
      role="region" aria-label="Properties of \(model.name)"><table><thead><tr><th scope="col">property</th>\
      <th scope="col">type</th><th scope="col">rules</th><th scope="col">meaning</th></tr></thead><tbody>\(rows)</tbody>\
      </table></div></details>
      """
  }

  private func searched(_ model: Model) -> String {
    ([model.name] + model.properties.map(\.name)).joined(separator: " ")
  }

  private func type(_ property: Property) -> Markup {
    let spelling = PropertySpelling.type(of: property)
    guard let target = property.type.linkedModel ?? enumeration(property) else {
      return "<code>\(spelling)</code>"
    }
    return "<a href=\"#model-\(target)\"><code>\(spelling)</code></a>"
  }

  private func enumeration(_ property: Property) -> String? {
    if case .enumeration(let name)? = property.type.valueType?.base { return name }
    return nil
  }

  private func facts(_ property: Property, of model: Model) -> String {
    var facts: [String] = []
    if model.primaryKey.contains(property.name) { facts.append("key") }
    if property.isUnique { facts.append("unique") }
    switch property.index {
    case .none: break
    case .ordinary: facts.append("indexed")
    case .fulltext: facts.append("full-text index")
    }
    if let value = property.defaultValue { facts.append("default \(ValueText.text(value))") }
    if let generate = property.generate { facts.append("generated: \(generate.rawValue)") }
    if property.deleteRule != .nullify {
      facts.append("on delete: \(property.deleteRule.rawValue)")
    }
    if property.isIgnored { facts.append("not stored") }
    return facts.joined(separator: ", ")
  }

  private func table(_ enumeration: EnumType) -> Markup {
    let rows = enumeration.cases.map { item -> Markup in
      "<tr><th scope=\"row\">\(item.name)</th><td><code>\(ValueText.text(item.rawValue))</code></td></tr>"
    }
    return """
      <details class="model" id="model-\(enumeration.name)" data-text="\(enumeration.name)"><summary><span class="name">\
      \(enumeration.name)</span><span class="tag">enum</span> <span class="count">\(enumeration.cases.count)<span \
      class="hidden"> cases</span></span></summary>\
      \(enumeration.doc.map { "<p class=\"doc\" dir=\"auto\">\($0)</p>" as Markup })<div class="scroll" tabindex="0" \
      role="region" aria-label="Cases of \(enumeration.name)"><table><thead><tr><th scope="col">case</th><th scope="col">\
      stored as</th></tr></thead><tbody>\(rows)</tbody></table></div></details>
      """
  }
}

/// A value as reports write it.
enum ValueText {
  /// A longer text is cut.
  static let maximumCharacters = 80

  static func text(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text): "\"\(TextWidth.cut(text, to: maximumCharacters))\""
    case .data(let bytes): counted(bytes.count, "byte")
    case .date(let seconds): DateText.text(of: seconds) ?? "\(seconds)"
    case .uuid(let value): value.description
    case .decimal(let value): value.description
    case .objectID(let value): value.description
    case .link(let identity): "#\(identity)"
    case .object(let model, let identity): "\(model) #\(identity)"
    }
  }
}
