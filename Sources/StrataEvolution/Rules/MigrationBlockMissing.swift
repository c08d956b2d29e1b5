import StrataExpression
import StrataHistory
import StrataSchema
package import StrataSource

extension Rule {
  static let migrationBlockMissing = Rule(
    "STR4010", "migration-block-missing", .error, .step,
    "Changes need a step, or a step its Swift block, and there is none.",
    .pair { pair in
      let number = pair.newer.number
      let questions = pair.newer.blockQuestions
      guard questions.isEmpty else {
        return questions.map { question in
          Finding(
            "the block of version \(number) is not written\(question.text.isEmpty ? "" : ": \(question.text)")",
            at: question.file.span(question.range),
            help: "write what the step does, and take #error away", version: number)
        }
      }
      if let step = pair.newer.step, !step.step.swiftModels.isEmpty {
        guard !pair.newer.hasBlock else { return [] }
        let models = step.step.swiftModels.sorted()
        return [
          Finding(
            "the step names \(models.joined(separator: ", ")) behind 'swift:', and no Swift file has 'toVersion\(number)'",
            at: models.first.flatMap { step.places[.swift($0)] }, version: number)
        ].map { finding in
          var finding = finding
          let file = step.places.file.path(ofSibling: "\(number)-Name.swift")
          finding.help =
            "write \(file) with 'static let toVersion\(number) = Step(to: \(number)) { step in … }'"
          return finding
        }
      }
      guard pair.newer.step?.places.file.bytes.isEmpty ?? true, pair.newer.blocks.isEmpty,
        !pair.newer.hasUnreadableStep
      else { return [] }
      // Of the working version each change says itself what it needs.
      guard pair.newer.line != nil else { return [] }
      let open = pair.changes.filter {
        $0.verdict == .step && $0.isJudgedWhenSealed && !pair.coverage.covers($0)
      }
      guard !open.isEmpty else { return [] }
      let file = pair.newer.step?.places.file.path ?? "migrations/\(number).yaml"
      return [
        Finding(
          open.count == 1
            ? "one change since version \(pair.older.number) needs a step, and there is none"
            : "\(open.count) changes since version \(pair.older.number) need a step, and there is none",
          at: pair.newer.places.version,
          help: "'strata freeze' writes \(file) with a question for each",
          version: number)
      ]
    })
}

/// The `#error("…")` that `strata freeze` writes where only the author of the step, who knows the data, can go on.
package struct BlockQuestion {
  var file: SourceFile
  var range: Range<Int>
  var text: String

  package static func all(in file: SourceFile) -> [BlockQuestion] {
    let tokens = SwiftLexer.tokens(of: file.bytes)
    return tokens.indices.dropFirst().filter { index in
      tokens[index].kind == .identifier && tokens[index].text == "error"
        && tokens[index - 1].text == "#"
    }.map { index in
      let text = tokens[index...].dropFirst().prefix(2).first { $0.kind == .string }?.text
      return BlockQuestion(
        file: file, range: tokens[index - 1].range.lowerBound..<tokens[index].range.upperBound,
        text: text ?? "")
    }
  }
}

extension CheckedVersion {
  var blockQuestions: [BlockQuestion] { blocks.flatMap { BlockQuestion.all(in: $0) } }

  /// Whether one of the version's Swift files defines its step.
  var hasBlock: Bool {
    blocks.contains { file in
      SwiftLexer.tokens(of: file.bytes).contains {
        $0.kind == .identifier && $0.text == "toVersion\(number)"
      }
    }
  }
}
