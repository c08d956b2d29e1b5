import StrataCLI
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// A folder of `Cases/`: what was frozen, and what is there now.
///
/// `before/` and `after/` are projects: declarations, `versions/`, `schema.lock`, `migrations/`, `strata.yaml`. What
/// `after/` does not have of versions and migrations is as before. `before/` is frozen and sealed here, so that a case
/// holds no digests: its declarations become a version where it has no `versions/`. A lock of `after/` that says
/// `SEAL` is made to fit, one of `before/` that says `OTHER HASH` was made by a tool that hashes otherwise. With a file
/// `against`, `before/` is the baseline, too.
///
/// With a folder `samples/` real files are looked at (`RuleCase+Samples.swift`), and with a file `verify` the
/// steps are proven (`RuleCase+Proof.swift`).
struct RuleCase: CustomTestStringConvertible {
  static let folder =
    String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/") ?? #filePath.endIndex)) + "/Cases"

  let name: String
  var testDescription: String { name }

  static var all: [RuleCase] {
    get throws {
      try SourceFolder.list(folder).map { RuleCase(name: $0) }
    }
  }

  /// The files of a part of the case, named as a user would have named them.
  private func read(_ part: String, _ place: String, _ extensions: [String]) -> [SourceFile] {
    let folder = "\(Self.folder)/\(name)/\(part)" + (place.isEmpty ? "" : "/\(place)")
    let files = (try? SourceFolder.read(folder, extensions: extensions)) ?? []
    return files.map {
      SourceFile(path: place.isEmpty ? $0.name : "\(place)/\($0.name)", bytes: $0.bytes)
    }
  }

  private func project(_ part: String) -> ProjectFiles {
    let declared = read(part, "", ["yaml"])
    var diagnostics = Diagnostics()
    let settings = declared.first { $0.name == Settings.fileName }.map {
      SettingsReader.read($0, reporting: &diagnostics)
    }
    return ProjectFiles(
      schemas: declared.filter { $0.name != Settings.fileName },
      versions: read(part, "versions", ["yaml"]), lock: read(part, "", ["lock"]).first,
      steps: read(part, "migrations", ["yaml"]), swift: read(part, "migrations", ["swift"]),
      settings: settings ?? Settings())
  }

  /// The project as it was, sealed.
  func before() throws -> ProjectFiles {
    var project = project("before")
    var diagnostics = Diagnostics()
    if project.versions.isEmpty {
      let schema = try #require(
        SchemaCompiler.compile(project.schemas, reporting: &diagnostics)
      ).schema
      project.versions = [
        SourceFile(path: "versions/\(schema.version).yaml", text: schema.canonicalYAML)
      ]
    }
    #expect(diagnostics.sorted.map(\.message) == [])
    let sealsOtherwise = project.lock?.bytes == Array("OTHER HASH".utf8)
    project.lock = try Self.seal(project, sealsOtherwise: sealsOtherwise)
    return project
  }

  /// A lock that fits the versions and steps, whatever was sealed before.
  private static func seal(_ project: ProjectFiles, sealsOtherwise: Bool = false) throws
    -> SourceFile
  {
    var diagnostics = Diagnostics()
    var lines: [VersionLock.Line] = []
    for file in project.versions {
      let schema = try #require(SchemaCompiler.compile([file], reporting: &diagnostics)).schema
      let step = project.steps.first { StepReader.number(of: $0) == schema.version }.flatMap {
        StepReader.read($0, reporting: &diagnostics)?.step
      }
      let blocks = project.swift.filter { SwiftFileName.version(of: $0.name) == schema.version }
      lines.append(
        VersionLock.Line(
          version: schema.version, date: "2026-11-21",
          shape: sealsOtherwise ? Digest(of: "\(schema.shape)") : schema.shape,
          rules: schema.rulesDigest, cases: schema.casesDigest,
          step: StepDigest.digest(of: step, blocks: blocks.map(\.bytes)),
          after: lines.last?.chain))
    }
    #expect(diagnostics.sorted.map(\.message) == [])
    return SourceFile(path: "schema.lock", text: VersionLock(lines: lines).text)
  }

  /// The project as it is now.
  func after() throws -> ProjectFiles {
    let before = try before()
    var project = project("after")
    if project.versions.isEmpty { project.versions = before.versions }
    if project.lock == nil { project.lock = before.lock }
    if project.lock?.bytes == Array("SEAL".utf8) {
      project.lock = try Self.seal(project)
    }
    if project.steps.isEmpty { project.steps = before.steps }
    if project.swift.isEmpty { project.swift = before.swift }
    return project
  }

  /// Whether the case is compared with what was before, as a pull request is.
  var hasBaseline: Bool { has("against") }

  func findings() throws -> Diagnostics {
    let baseline: ProjectCheck.Against? =
      hasBaseline ? .files(try before(), name: "git:main", ancestorLock: nil) : nil
    let project = try after()
    var found = try checkWithSamples(project, against: baseline)
    if has("verify") { found.append(try proofFindings(in: project)) }
    return found
  }

  /// Whether the case has a file or folder of this name.
  func has(_ name: String) -> Bool {
    (try? SourceFolder.list("\(Self.folder)/\(self.name)"))?.contains(name) ?? false
  }

  var expected: String {
    let file = try? SourceFolder.read(file: "\(Self.folder)/\(name)/expected.txt")
    return file.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }
}

extension Diagnostics {
  /// A line a finding: place, severity, message, code, and the help.
  var lines: String {
    sorted.map { finding in
      let place =
        finding.span.map {
          "\($0.path):\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)"
        } ?? "-"
      let help = finding.help.map { "\n  help: \($0)" } ?? ""
      let labels = finding.labels.map {
        "\n  note: \($0.span.path):\($0.span.start.line):\($0.span.start.column) \($0.message)"
      }
      let fix = finding.fixIt.map { "\n  fix: \($0.title)" } ?? ""
      return
        "\(place): \(finding.severity.rawValue): \(finding.message) [\(finding.code)]\(labels.joined())\(help)\(fix)\n"
    }.joined()
  }
}
