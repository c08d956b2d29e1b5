import StrataExpression
package import StrataSource
import StrataYAML

/// Writes declarations and steps in canonical form: the YAML as `YAMLFormatter` does, and the expressions in it as
/// `Expression.text` spells them.
///
/// An expression of several lines stays as it was broken, and so does one with mistakes.
package enum SourceFormatter {
  /// Nil where the text has mistakes of YAML, which are reported.
  package static func format(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> SourceFile? {
    YAMLFormatter.format(file, reporting: &diagnostics) { root in
      let isStep = root.value(of: "to") != nil && root.value(of: "models") == nil
      return root.spellingExpressions(at: isStep ? Self.ofSteps : Self.ofDeclarations, in: file)
    }
  }

  fileprivate typealias Place = (keys: ArraySlice<String>, use: ExpressionUse)

  /// Where expressions stand, by the keys that lead there; `*` is any name.
  private static let ofDeclarations: [Place] = [
    (["models", "*", "rules", "*"], .query), (["models", "*", "rules", "*", "that"], .query),
  ]

  private static let ofSteps: [Place] = [
    (["set", "*", "*"], .step), (["back", "*", "*"], .back), (["delete", "*"], .step),
    (["repair", "*", "delete"], .query), (["repair", "*", "set", "*"], .query),
  ]
}

extension YAMLNode {
  fileprivate func value(of key: String) -> YAMLNode? {
    guard case .mapping(let entries, _) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  fileprivate func spellingExpressions(
    at places: [SourceFormatter.Place], in file: SourceFile
  ) -> YAMLNode {
    var result = self
    switch content {
    case .scalar(let scalar):
      guard let use = places.first(where: { $0.keys.isEmpty })?.use else { return self }
      result.content = .scalar(scalar.spellingExpression(for: use, at: range, in: file))
    case .mapping(let entries, let isFlow):
      let spelled = entries.map { entry in
        let inside = places.filter { $0.keys.first == "*" || $0.keys.first == entry.key }
          .map { (keys: $0.keys.dropFirst(), use: $0.use) }
        var entry = entry
        if !inside.isEmpty { entry.value = entry.value.spellingExpressions(at: inside, in: file) }
        return entry
      }
      result.content = .mapping(spelled, isFlow: isFlow)
    default: break
    }
    return result
  }
}

extension YAMLScalar {
  /// The scalar with its expression in the canonical spelling, in the quotes that it has, or with some where it needs them
  /// now.
  fileprivate func spellingExpression(
    for use: ExpressionUse, at range: Range<Int>, in file: SourceFile
  ) -> YAMLScalar {
    let isOneLine = !file.bytes[range].contains { $0 == 0x0A || $0 == 0x0D }
    guard style != .block, isOneLine, !isNull,
      let expression = try? Expression.parse(text, for: use)
    else { return self }
    let spelled = expression.text
    guard spelled != text, (try? Expression.parse(spelled, for: use)) == expression else {
      return self
    }
    return YAMLScalar(spelled, style: isPlain && !Self.isPlain(spelled) ? .doubleQuoted : style)
  }

  /// Whether a text is certainly the same without quotes, in brackets, too.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    let isStart =
      first == UInt8(ascii: "(") || first == UInt8(ascii: "_") || isLetterOrDigit(first)
    return isStart
      && text.utf8.allSatisfy { isLetterOrDigit($0) || " _.+-*/()<>=!?$%@'".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
