/// The forms in which findings are printed: one value in, a text for each form out.
package enum DiagnosticFormat: String, CaseIterable, Sendable {
  /// For people, and for editors that make `path:line:column` clickable.
  case text
  /// For programs: `strata.check/1`.
  case json
  /// Annotations of GitHub Actions.
  case github
  /// The code quality report of GitLab.
  case gitlab
  /// For servers that show test results.
  case junit
  /// For a comment on a pull request.
  case markdown
  /// For code scanning: SARIF 2.1.0.
  case sarif

  /// - Parameters:
  ///   - kinds: what could have been found, for formats that describe it.
  ///   - toolVersion: the version of the tool, for formats that name it.
  ///   - threshold: the least severity that the run fails for, for formats that say what fails.
  package func render(
    _ diagnostics: Diagnostics, kinds: [DiagnosticKind] = [], toolVersion: String? = nil,
    usesColour: Bool = false, failingFrom threshold: Severity = .error
  ) -> String {
    switch self {
    case .text: TextRenderer(usesColour: usesColour).render(diagnostics)
    case .json: JSONRenderer().render(diagnostics)
    case .github: GitHubRenderer().render(diagnostics)
    case .gitlab: GitLabRenderer().render(diagnostics)
    case .junit: JUnitRenderer(failingFrom: threshold).render(diagnostics)
    case .markdown: MarkdownRenderer().render(diagnostics)
    case .sarif: SARIFRenderer(kinds: kinds, toolVersion: toolVersion).render(diagnostics)
    }
  }
}
