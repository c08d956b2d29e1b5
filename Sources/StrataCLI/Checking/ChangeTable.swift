import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource

/// What a branch does to the schema, as Markdown for a comment on its pull request: what changed, and what it means for data.
struct ChangeTable {
  private let comparison: SchemaComparison?

  /// - Parameter since: what the changes are counted from, as `--against` names it; nil for the newest frozen version.
  init(since: String?, folders: FolderOptions) {
    comparison = Self.comparison(since: since, folders: folders)
  }

  /// Nil where one of the two sides cannot be read, or there is nothing to compare with: the findings say why.
  private static func comparison(since: String?, folders: FolderOptions) -> SchemaComparison? {
    guard let project = try? Project.load(folders), isReadable(project.schemas) else { return nil }
    let sides = SchemaSides(project: project, folders: folders)
    if let since, since.hasPrefix("git:") {
      guard let revision = try? GitRevision(String(since.dropFirst(4)), of: project.schemasPath),
        let there = try? project.files(at: revision), isReadable(there.schemas)
      else { return nil }
    } else if project.versions.isEmpty || !isHistoryReadable(project) {
      return nil
    }
    guard let newer = try? sides.working(),
      let older = try? since.map({ try sides.side($0) }) ?? sides.newestFrozen()
    else { return nil }
    return try? sides.compare(older, newer)
  }

  private static func isReadable(_ files: [SourceFile]) -> Bool {
    var ignored = Diagnostics()
    return SchemaCompiler.compile(files, reporting: &ignored) != nil
  }

  private static func isHistoryReadable(_ project: Project) -> Bool {
    var ignored = Diagnostics()
    return HistoryReader.read(
      versions: project.versions, lock: project.seal, steps: [], reporting: &ignored) != nil
  }

  /// Empty where there is nothing to tell.
  var markdown: String {
    guard let comparison else { return "" }
    var text = "### Schema: \(comparison.from) → \(comparison.to)\n\n"
    guard !comparison.changes.isEmpty else { return text + "No change for stored data.\n\n" }
    text += Self.summary(comparison.changes) + "\n\n"
    text += "| what changes | where | an upgrade |\n|---|---|---|\n"
    for entry in comparison.changes.prefix(MarkdownRenderer.maximumRows) {
      let change = entry.change
      let path = change.oldPath.map { $0 == change.path ? "" : "`\($0)` → " } ?? ""
      let message = MarkdownRenderer.cell(change.message)
      text += "| \(message) | \(path)`\(change.path)` | \(Self.consequence(entry)) |\n"
    }
    let omitted = comparison.changes.count - MarkdownRenderer.maximumRows
    if omitted > 0 { text += "\n\(omitted) more are not shown.\n" }
    return text + "\n"
  }

  private static func summary(_ changes: [SchemaComparison.Entry]) -> String {
    let automatic = changes.count { $0.change.verdict == .automatic }
    let open = changes.count { !$0.isCovered && $0.change.verdict != .automatic }
    let covered = changes.count - automatic - open
    let parts = [
      automatic == 0 ? nil : "\(automatic) automatic",
      covered == 0 ? nil : "\(covered) covered by a step",
      open == 0 ? nil : "**\(open) without a step**",
    ].compactMap { $0 }
    let count = "\(changes.count) change\(changes.count == 1 ? "" : "s")"
    return "\(count): \(parts.joined(separator: ", "))."
  }

  private static func consequence(_ entry: SchemaComparison.Entry) -> String {
    switch entry.change.verdict {
    case .automatic: "needs nothing"
    case _ where entry.isCovered: "is covered by the step"
    case .step: "**needs a step**"
    case .never: "**is refused**"
    }
  }
}
