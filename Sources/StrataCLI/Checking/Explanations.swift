import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataReference
import StrataSchema
package import StrataSource

/// What there is to say about every diagnostic, compiled into the tool.
package enum Explanations {
  /// Sorted by code. What both stations find has the page of the first.
  package static let pages: [DiagnosticPage] = {
    let first = DiagnosticCatalogue.pages
    let known = Set(first.map(\.kind.code))
    return (first + RulePages.all.filter { !known.contains($0.kind.code) } + RuntimePages.all)
      .sorted { $0.kind.code < $1.kind.code }
  }()

  /// What the tool can find in files, for formats that describe it; what stops a store or an upgrade is no finding.
  package static let kinds = pages.map(\.kind).filter { !$0.code.hasPrefix("STR5") }

  package static func page(_ codeOrName: String) -> DiagnosticPage? {
    let wanted = codeOrName.uppercased()
    return pages.first {
      $0.kind.code == wanted || $0.kind.code == "STR" + wanted
        || $0.kind.name.uppercased() == wanted
    }
  }

  /// What is said about the page's failing example, as text.
  package static func findings(_ page: DiagnosticPage) -> String {
    page.said ?? TextRenderer().render(check(page))
  }

  /// What the tool says about the page's failing example.
  package static func check(_ page: DiagnosticPage) -> Diagnostics {
    findings(in: page.failing, of: page)
  }

  /// What it says about the repaired one: the failing example with some files in another state.
  package static func checkRepair(_ page: DiagnosticPage) -> Diagnostics {
    let changed = Set(page.repaired.map(\.path))
    return findings(
      in: page.failing.filter { !changed.contains($0.path) } + page.repaired, of: page)
  }

  private static func findings(in files: [ExampleFile], of page: DiagnosticPage) -> Diagnostics {
    if DiagnosticCatalogue.kinds.contains(page.kind) { return DiagnosticCatalogue.check(files) }
    // Hints of other rules would stand in the way of what the example shows.
    return ProjectCheck.run(project(files)).dropping {
      $0.severity == .info && $0.code != page.kind.code
    }
  }

  /// An example as a project, whose frozen versions are sealed as they stand.
  private static func project(_ files: [ExampleFile]) -> ProjectFiles {
    var ignored = Diagnostics()
    func sources(_ folder: String, _ ending: String) -> [SourceFile] {
      files.map(\.source).filter { $0.path == folder + $0.name && $0.name.hasSuffix(ending) }
    }
    var project = ProjectFiles(
      schemas: sources("schemas/", ".yaml"), versions: sources("schemas/versions/", ".yaml"),
      steps: sources("migrations/", ".yaml"), swift: sources("migrations/", ".swift"))
    if let settings = sources("", ".yaml").first {
      project.settings = SettingsReader.read(settings, reporting: &ignored)
    }
    project.lock = SourceFile(path: "schemas/schema.lock", text: project.impliedLock.text)
    return project
  }
}
