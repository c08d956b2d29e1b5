import StrataExpression
package import StrataHistory
package import StrataSchema

/// What the lock seals of a step: its meaning, not how it is written.
///
/// The digest is over the step as JSON (expressions in their canonical text) and over the tokens of the
/// version's Swift files, in whatever files they stand. Comments and white space don't count, and neither does
/// `accept:`, which is about findings and not about data, nor `back:`, which no upgrade looks at.
package enum StepDigest {
  /// Nil where nothing but the schemas leads to the version.
  package static func digest(of step: MigrationStep?, blocks: [[UInt8]]) -> Digest? {
    var meaning = step ?? MigrationStep(to: 0)
    meaning.accept = []
    meaning.back = [:]
    let isEmpty = meaning == MigrationStep(to: meaning.to)
    if isEmpty, blocks.isEmpty { return nil }
    var text = isEmpty ? "-\n" : meaning.json.canonicalText + "\n"
    for digest in blocks.map(self.digest(ofBlock:)).sorted() { text += "\(digest)\n" }
    return Digest(of: text)
  }

  /// The digest of a Swift file's tokens, each with its length before it.
  package static func digest(ofBlock bytes: [UInt8]) -> Digest {
    var hasher = SHA256()
    for token in SwiftLexer.tokens(of: bytes) {
      let text = Array(token.text.utf8)
      hasher.update("\(token.kind.letter)\(text.count):".utf8)
      hasher.update(text)
    }
    return hasher.finish()
  }
}

extension SwiftToken.Kind {
  fileprivate var letter: Character {
    switch self {
    case .identifier: "i"
    case .number: "n"
    case .string: "s"
    case .sign: "p"
    }
  }
}
