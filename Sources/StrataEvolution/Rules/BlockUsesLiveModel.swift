import StrataSchema
import StrataSource

extension Rule {
  static let blockUsesLiveModel = Rule(
    "STR4014", "block-uses-live-model", .error, .never,
    "A Swift block speaks of today's classes and not of those of its versions.",
    help: { finding in
      finding.help ?? "a step that compiled once has to compile for ever: write V1.\(finding.name)"
    },
    .history { input in
      guard let working = input.working ?? input.newest else { return [] }
      let classes = Set(working.schema.models.map { $0.swiftName ?? $0.name })
      let module = "\(working.schema.name)Models"
      return input.swiftFiles.flatMap { file in
        let tokens = SwiftLexer.tokens(of: file.bytes)
        let own = SwiftLexer.declaredNames(in: tokens)
        let parameters = ClosureParameters(tokens).indexes
        let version = SwiftFileName.version(of: file.name)
        let frozen = version.map { "V\($0)" } ?? "V1"
        let known = input.versions.map(\.number)
        let previous = known.filter { number in version.map { number < $0 } ?? false }.max()
        let namespaces = [version, previous].compactMap { $0.map { "V\($0)" } }
        return tokens.indices.compactMap { index -> Finding? in
          let token = tokens[index]
          guard token.kind == .identifier else { return nil }
          let before = index > 0 ? tokens[index - 1].text : ""
          let after = index + 1 < tokens.count ? tokens[index + 1].text : ""
          // `import class PeopleModels.Person`, too.
          let isImported = tokens[..<index].suffix(2).contains { $0.text == "import" }
          if token.text == module, isImported {
            return Finding(
              "'\(module)' has today's classes", at: file.span(token.range),
              help: "frozen types need no import: write \(frozen).Person")
          }
          guard classes.contains(token.text), !own.contains(token.text), before != ".",
            after != ":" || before == ":", !parameters.contains(index),
            !SwiftLexer.isKeyword(index, in: tokens)
          else { return nil }
          // In the extension that a block stands in this is the types of a version, also where a model has the name.
          if after == ".", namespaces.contains(token.text) { return nil }
          // A model may be called as what a block is written in, which alone is known in its module.
          if tokens[index...].prefix(4).map(\.text) == ["Step", "(", "to", ":"] { return nil }
          return Finding(
            "'\(token.text)' is today's class", at: file.span(token.range),
            help: "a step that compiled once has to compile for ever: write \(frozen).\(token.text)"
          )
        }
      }
    })
}

/// The names of files in the folder of migrations.
package enum SwiftFileName {
  /// The version that a file's name begins with: `12-Name.swift`, `12.swift`.
  package static func version(of name: String) -> Int? {
    let digits = name.utf8.prefix { (48...57).contains($0) }
    let rest = name.utf8.dropFirst(digits.count).first
    guard rest == UInt8(ascii: "-") || rest == UInt8(ascii: ".") else { return nil }
    return Int(String(digits) ?? "")
  }
}
