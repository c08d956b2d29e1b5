package import StrataEvolution
import StrataSchema
package import StrataSource

/// A report on a schema's history in HTML: a folder that loads nothing and works from `file://`.
package struct Report: Sendable {
  private let versions: [ReportedVersion]
  private let findings: [Diagnostic]

  /// - Parameters:
  ///   - input: all versions with their steps, and what samples hold.
  ///   - findings: what `check` found.
  package init(_ input: CheckInput, findings: Diagnostics) {
    versions = ReportedVersion.all(input, findings: findings)
    self.findings = findings.sorted
  }

  /// The name of the schema.
  package var name: String { versions.last?.schema.name ?? "Schema" }

  /// How many pages `forEachFile` makes.
  package var count: Int { versions.count + 1 }

  /// The names of the files that `forEachFile` makes.
  package var names: [String] {
    ["index.html"] + versions.map { "\(Self.versionsFolder)/\($0.page).html" }
  }

  /// Makes one page after the other, so that a long history does not stand in memory as a whole.
  package func forEachFile(_ body: (ReportFile) throws -> Void) rethrows {
    try body(OverviewPage(name: name, versions: versions, findings: findings).file)
    let pages = versions.map { (name: $0.page, label: $0.label) }
    for version in versions {
      try body(VersionPage(name: name, version: version, pages: pages).file)
    }
  }

  /// The folder of the versions' pages, below that of the report.
  package static let versionsFolder = "versions"

  /// Whether a file in that folder has the name of a version's page.
  package static func isNameOfVersionPage(_ name: String) -> Bool {
    if name == "\(ReportedVersion.workingPage).html" { return true }
    let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(String(Substring(digits))) else { return false }
    return name == "\(number).html"
  }

  /// Whether a file was written as a page of a report.
  package static func isPage(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Page.beginning.utf8) }
}
