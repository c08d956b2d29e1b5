import StrataReference
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

  init(asksNothing: Bool) { self.asksNothing = asksNothing }

  /// What stands wrong in a file is repaired at once. What a change means for data only people know.
  mutating func areYes(to finding: Diagnostic) -> Bool {
    guard !asksNothing, !DiagnosticCatalogue.kinds.contains(where: { $0.code == finding.code })
    else { return true }
    let question = Question(
      code: finding.code, message: finding.message, path: finding.span?.path,
      repair: finding.fixIt?.title)
    if let known = answers[question] { return known }
    let answer = Self.ask(finding)
    answers[question] = answer
    return answer
  }

  private static func ask(_ finding: Diagnostic) -> Bool {
    Terminal.note("\(finding.message) [\(finding.code)]")
    Terminal.write(
      "\(TerminalText.plain(finding.fixIt?.title ?? ""))? [y/N] ", to: STDERR_FILENO)
    return (readLine() ?? "").lowercased().hasPrefix("y")
  }
}
