import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is answered to the questions of `check --fix`. None is asked twice: a repair may have to wait for another one, and
/// changes the places of those that are left.
struct RepairAnswers {
  /// What makes a question the same one, wherever the edit stands by now.
  private struct Question: Hashable {
    let code: String
    let message: String
    let path: String?
    let repair: String?
  }

  /// Whether everything is agreed to.
  let asksNothing: Bool
  private var answers: [Question: Bool] = [:]
  /// Whether the input has ended, so that there are no more answers.
  private var isAtEnd = false
  /// How many questions have no answer.
  private(set) var unansweredCount = 0

  init(asksNothing: Bool) { self.asksNothing = asksNothing }

  /// What stands wrong in a file is repaired at once. Which name was meant, and what a change means for data, only people know.
  mutating func areYes(to finding: Diagnostic) -> Bool {
    guard !asksNothing, finding.fixIt?.isGuess == true else { return true }
    let question = Question(
      code: finding.code, message: finding.message, path: finding.span?.path,
      repair: finding.fixIt?.title)
    if let known = answers[question] { return known }
    let answer = isAtEnd ? nil : Self.ask(finding)
    if answer == nil {
      isAtEnd = true
      unansweredCount += 1
    }
    answers[question] = answer ?? false
    return answer ?? false
  }

  /// Nil where the input has ended.
  private static func ask(_ finding: Diagnostic) -> Bool? {
    let place = finding.span.map { "\($0.path):\($0.start.line): " } ?? ""
    Terminal.note("\(place)\(finding.message) [\(finding.code)]")
    Terminal.write(
      "\(TerminalText.plain(finding.fixIt?.title ?? ""))? [y/N] ", to: STDERR_FILENO)
    guard let line = readLine() else {
      Terminal.write("\n", to: STDERR_FILENO)
      return nil
    }
    return line.lowercased().hasPrefix("y")
  }
}
