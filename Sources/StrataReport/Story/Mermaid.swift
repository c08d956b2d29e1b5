package import StrataSchema

/// The diagram of a version in Mermaid's language, which GitHub draws: `erDiagram`.
package enum Mermaid {
  /// - Parameter models: which to show; all where nil. What is not shown is no end of a link, either.
  package static func diagram(_ schema: Schema, only models: Set<String>? = nil) -> String {
    var text = "erDiagram\n"
    let shown = schema.models.filter { models?.contains($0.name) ?? true }
    let names = Set(shown.map(\.name))
    for model in shown {
      text += "  \(identifier(model.name)) {\n"
      for property in model.properties where !property.isIgnored && !property.type.isInverse {
        let key =
          model.primaryKey.contains(property.name) ? " PK" : property.isUnique ? " UK" : ""
        let doc = property.doc.map { " \"\(comment($0))\"" } ?? ""
        text += "    \(type(property.type)) \(identifier(property.name))\(key)\(doc)\n"
      }
      text += "  }\n"
    }
    for model in shown {
      for property in model.properties where !property.isIgnored && !property.type.isInverse {
        guard let target = property.type.linkedModel, names.contains(target) else { continue }
        let isOwning = schema.model(named: target)?.isEmbedded == true
        let start = isOwning ? "||" : "}o"
        let end =
          property.type.isCollection
          ? "o{" : property.type.valueType?.isOptional == true ? "o|" : "||"
        text +=
          "  \(identifier(model.name)) \(start)\(isOwning ? "--" : "..")\(end) \(identifier(target)) : "
          + "\"\(comment(property.name))\"\n"
      }
      if let parent = model.extends, names.contains(parent) {
        text += "  \(identifier(model.name)) |o..|| \(identifier(parent)) : \"extends\"\n"
      }
    }
    return text
  }

  /// Mermaid's types know letters, digits and a few signs.
  private static func type(_ type: PropertyType) -> String {
    guard let value = type.valueType else { return "any" }
    let name = identifier(value.base.name)
    return switch type {
    case .value: name
    case .list: "\(name)[]"
    case .set: "set(\(name))"
    case .map: "map(\(name))"
    case .inverse: name
    }
  }

  private static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      let isPlain = scalar == "_" || scalar.properties.isXIDContinue
      result += isPlain ? String(scalar) : "_"
    }
    return result.isEmpty ? "_" : result
  }

  private static func comment(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in Markdown.line(String(text.prefix(200))).unicodeScalars {
      switch scalar {
      case "\"": result.append("'")
      case "<", ">", "`", ";", "%": result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
