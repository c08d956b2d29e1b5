package import StrataSchema
import StrataSource

/// The diagram of a version in Mermaid's language, which GitHub draws: `erDiagram`.
package enum Mermaid {
  /// - Parameter models: which to show; all where nil. What is not shown is no end of a link, either.
  package static func diagram(_ schema: Schema, only models: Set<String>? = nil) -> String {
    var text = "erDiagram\n"
    let shown = schema.models.filter { models?.contains($0.name) ?? true }
    let names = Set(shown.map(\.name))
    for model in shown {
      text += "  \(entity(model.name)) {\n"
      for property in model.properties where !property.isIgnored && !property.type.isInverse {
        let key =
          model.primaryKey.contains(property.name) ? " PK" : property.isUnique ? " UK" : ""
        let doc = property.doc.map { " \"\(comment($0))\"" } ?? ""
        text += "    \(type(property.type)) \(attribute(property.name))\(key)\(doc)\n"
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
          "  \(entity(model.name)) \(start)\(isOwning ? "--" : "..")\(end) \(entity(target)) : "
          + "\"\(comment(property.name))\"\n"
      }
      if let parent = model.extends, names.contains(parent) {
        text += "  \(entity(model.name)) |o..|| \(entity(parent)) : \"extends\"\n"
      }
    }
    return text
  }

  /// Mermaid's types know letters, digits and a few signs.
  private static func type(_ type: PropertyType) -> String {
    guard let value = type.valueType else { return "any" }
    let name = attribute(value.base.name)
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

  /// A model's name in quotes, because Mermaid has words of its own (`class`, `style`, `one`, `to`, `end`) in any case.
  private static func entity(_ name: String) -> String { "\"\(identifier(name))\"" }

  /// A property's name or a type: quotes are none to Mermaid there. Its words begin with a letter of ASCII, `_` or a
  /// character from U+00C0 on, and have no others between U+0080 and U+00BF. They are no mark of a key, either.
  private static func attribute(_ name: String) -> String {
    var word = String.UnicodeScalarView()
    for scalar in identifier(name).unicodeScalars {
      word.append((0x80...0xBF).contains(scalar.value) ? "_" : scalar)
    }
    let isFirst = word.first.map { $0.isASCII || $0.properties.isXIDStart } ?? false
    return isMark(word) || !isFirst ? "_\(String(word))" : String(word)
  }

  /// Whether Mermaid reads `PK`, `FK` or `UK` at the beginning. To its lexer (`\b` of JavaScript) a letter that is none of
  /// ASCII ends the mark.
  private static func isMark(_ word: String.UnicodeScalarView) -> Bool {
    guard ["pk", "fk", "uk"].contains(String(word.prefix(2)).lowercased()) else { return false }
    guard let next = word.dropFirst(2).first else { return true }
    return !(next.isASCII && (next == "_" || next.properties.isXIDContinue))
  }

  /// A text in quotes. Two `~` in a line are a generic type to Mermaid, in quotes, too.
  private static func comment(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in MarkdownText.line(String(text.prefix(200))).unicodeScalars {
      switch scalar {
      case "\"": result.append("'")
      case "<", ">", "`", ";", "%", "~": result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
