import ArgumentParser
import StrataFrontend
import StrataSchema
import StrataSource

struct ExplainCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Says what a diagnostic means, with an example that fails and the repair.")

  @Argument(help: "The code or the name: STR2001, 2001, unknown-key; all are listed without one.")
  var code: String?
  @Flag(help: "List all diagnostics.") var list = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var colors: ColorOptions

  func run() throws {
    guard let code, !list else {
      printList()
      return
    }
    guard let page = Explanations.page(code) else {
      let names = Explanations.pages.flatMap { [$0.kind.code, $0.kind.name] }
      let near = NearestName.find(code, among: names).map { " Did you mean '\($0)'?" } ?? ""
      throw CommandFailure(
        "There is no diagnostic '\(code)'.\(near) `\(Tool.name) explain --list` shows all.",
        status: ExitStatus.usage)
    }
    let findings = Explanations.findings(page)
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.explain/1", "code": .string(page.kind.code),
          "rule": .string(page.kind.name), "severity": .string(page.kind.severity.rawValue),
          "summary": .string(page.kind.summary), "explanation": .string(page.explanation),
          "findings": .string(findings), "failing": files(page.failing),
          "repaired": files(page.repaired),
        ]))
    } else {
      Terminal.write(page.markdown(findings: findings), to: Terminal.results)
    }
  }

  private func files(_ files: [ExampleFile]) -> JSON {
    .array(files.map { ["file": .string($0.path), "text": .string($0.shownText)] })
  }

  private func printList() {
    let kinds = Explanations.pages.map(\.kind)
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.explain/1",
          "diagnostics": .array(
            kinds.map {
              [
                "code": .string($0.code), "rule": .string($0.name),
                "severity": .string($0.severity.rawValue), "summary": .string($0.summary),
              ]
            }),
        ]))
    } else {
      for kind in kinds {
        Terminal.print("\(kind.code)  \(kind.severity.rawValue)  \(kind.name): \(kind.summary)")
      }
    }
  }
}
