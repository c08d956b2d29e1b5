import Strata
import StrataEvolution
import StrataFrontend
package import StrataProject
package import StrataSource
package import StrataTesting

/// The failures of a proof as findings that point at the steps which make the difference.
package struct ProofFindings {
  private let files: ProjectFiles

  /// - Parameter files: where the steps are said; a step that is not among them is found without a place.
  package init(files: ProjectFiles) { self.files = files }

  package func diagnostics(of report: MigrationProofReport) -> Diagnostics {
    var diagnostics = Diagnostics()
    for file in files.swift + files.steps + files.versions { diagnostics.add(file) }
    for failure in report.failures { diagnostics.report(finding(failure)) }
    return diagnostics
  }

  package func finding(_ failure: MigrationProofReport.Failure) -> Diagnostic {
    let span = place(ofStepTo: failure.step)
    guard failure.code == Rule.pathDependenceFound.code else {
      let kind = Explanations.page(failure.code)?.kind
      return Diagnostic(
        code: failure.code, rule: kind?.name ?? failure.code, severity: .error,
        message: "\(failure.object) cannot be upgraded on the path \(failure.path)", span: span,
        help: failure.explanation.split(separator: "\n").first.map {
          String($0.drop { $0 == " " })
        })
    }
    let rule = Rule.pathDependenceFound
    let what = failure.property.map { "'\($0)' of \(failure.object)" } ?? failure.object
    let finding = Finding(
      "\(what) is another one on the path \(failure.path) than step by step", at: span)
    return Diagnostic(
      code: rule.code, rule: rule.name, severity: rule.severity, message: finding.message,
      span: span, help: rule.help(finding))
  }

  /// The block's name, else the number of the step, else that of the version.
  private func place(ofStepTo version: Int) -> SourceSpan? {
    for file in files.swift where SwiftFileName.version(of: file.name) == version {
      let name = SwiftLexer.tokens(of: file.bytes).first { $0.text == "toVersion\(version)" }
      if let name { return file.span(name.range) }
    }
    var ignored = Diagnostics()
    if let file = files.steps.first(where: { StepReader.number(of: $0) == version }) {
      return StepReader.read(file, reporting: &ignored)?.sourceMap.to ?? file.span(0..<0)
    }
    guard let file = files.versions.first(where: { StepReader.number(of: $0) == version })
    else { return nil }
    return SchemaCompiler.compile([file], isFrozen: true, reporting: &ignored)?.sourceMap.version
  }
}
