import StrataSchema
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
  private struct Answer {
    /// Nil where there was none.
    var isYes: Bool?
    /// How many places it is about that are left.
    var placeCount: Int
  }

  private var answers: [Question: Answer] = [:]
  /// The places that each question of this round is about.
  private var places: [Question: [Diagnostic]] = [:]
  /// Whether the input has ended, so that there are no more answers.
  private var isAtEnd = false
  /// How many findings a question is shown with; more are counted.
  private static let maximumPlaces = 20

  /// How many findings stay because there was no answer.
  var unansweredCount: Int {
    answers.values.reduce(0) { $0 + ($1.isYes == nil ? $1.placeCount : 0) }
  }

  init(asksNothing: Bool) { self.asksNothing = asksNothing }

  private static func question(of finding: Diagnostic) -> Question? {
    guard let fixIt = finding.fixIt, fixIt.isGuess else { return nil }
    return Question(
      code: finding.code, message: finding.message, path: finding.span?.path, repair: fixIt.title)
  }

  /// Takes up what is found in a round: a question is about all places at which it is the same.
  mutating func begin(_ findings: [Diagnostic]) {
    places = [:]
    for finding in findings {
      if let question = Self.question(of: finding) { places[question, default: []].append(finding) }
    }
  }

  /// Notes what a round has repaired: what is found later is asked about anew.
  mutating func end(repaired: [Diagnostic]) {
    for finding in repaired {
      if let question = Self.question(of: finding) { answers[question]?.placeCount -= 1 }
    }
  }

  /// What stands wrong in a file is repaired at once. Which name was meant, and what a change means for data, only people know.
  mutating func areYes(to finding: Diagnostic) -> Bool {
    guard !asksNothing, let question = Self.question(of: finding) else { return true }
    let places = places[question] ?? [finding]
    if let known = answers[question], known.placeCount >= places.count {
      return known.isYes ?? false
    }
    let isYes = isAtEnd ? nil : Self.ask(places, finding.fixIt?.title ?? "")
    if isYes == nil { isAtEnd = true }
    answers[question] = Answer(isYes: isYes, placeCount: places.count)
    return isYes ?? false
  }

  /// Nil where the input has ended.
  private static func ask(_ findings: [Diagnostic], _ repair: String) -> Bool? {
    for finding in findings.prefix(maximumPlaces) {
      let place = finding.span.map { "\($0.path):\($0.start.line): " } ?? ""
      Terminal.note("\(place)\(finding.message) [\(finding.code)]")
    }
    let rest = findings.count - maximumPlaces
    if rest > 0 { Terminal.note("and \(grouped(rest)) more") }
    let count = findings.count > 1 ? " in \(counted(findings.count, "place"))" : ""
    Terminal.write("\(TerminalText.plain(repair))\(count)? [y/N] ", to: STDERR_FILENO)
    guard let line = readLine() else {
      Terminal.write("\n", to: STDERR_FILENO)
      return nil
    }
    return line.lowercased().hasPrefix("y")
  }
}
