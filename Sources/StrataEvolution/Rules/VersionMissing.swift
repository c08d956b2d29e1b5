import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let versionMissing = Rule(
    "STR4004", "version-missing", .error, .never,
    "A version that was frozen, or that a Swift block reads, has no file.",
    help: { _ in "restore it from version control" },
    .history { input in missingFromBaseline(input) + missingForBlocks(input) })

  private static func missingFromBaseline(_ input: CheckInput) -> [Finding] {
    guard let baseline = input.baseline else { return [] }
    let isForked = baseline.fork(from: input) != nil
    return baseline.lock.lines.compactMap { line in
      // What the other side froze since both parted is not missing here.
      let isOlder = input.newest.map { line.version <= $0.number } ?? false
      let isShared = baseline.ancestor?.line(ofVersion: line.version) != nil
      let isOfFork = baseline.ancestor != nil && !isShared && isForked
      guard isOlder || isShared, !isOfFork,
        !input.frozen.contains(where: { $0.number == line.version })
      else { return nil }
      let next = input.frozen.first { $0.number > line.version } ?? input.newest ?? input.working
      return Finding(
        "version \(line.version) is frozen in \(baseline.name) and is missing here",
        at: next.flatMap { input.lockSpans[$0.number] ?? $0.places.version })
    }
  }

  /// `V4.Person` where there is no version 4.
  private static func missingForBlocks(_ input: CheckInput) -> [Finding] {
    let known = Set(input.versions.map(\.number))
    guard !known.isEmpty else { return [] }
    return input.swiftFiles.flatMap { file -> [Finding] in
      let tokens = SwiftLexer.tokens(of: file.bytes)
      let own = SwiftLexer.declaredNames(in: tokens)
      var seen: Set<Int> = []
      return zip(tokens, tokens.dropFirst()).compactMap { token, next in
        guard token.kind == .identifier, next.text == ".", token.text.hasPrefix("V"),
          !own.contains(token.text),
          token.text.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }),
          let number = Int(token.text.dropFirst()), !known.contains(number),
          seen.insert(number).inserted
        else { return nil }
        return Finding(
          "the block speaks of version \(number), and there is no such frozen version",
          at: file.span(token.range))
      }
    }
  }
}
