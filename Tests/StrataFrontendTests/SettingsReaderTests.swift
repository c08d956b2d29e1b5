import StrataFrontend
import StrataSource
import Testing

@Suite struct SettingsReaderTests {
  @Test func everyKey() {
    var diagnostics = Diagnostics()
    let settings = SettingsReader.read(
      SourceFile(
        path: "strata.yaml",
        text: """
          schemas: Sources/Models
          migrations: Sources/Migrations
          generate: { access: internal, imports: [Money, Units] }
          rules: { index-removed: error }
          baseline: git:origin/main
          """), reporting: &diagnostics)

    #expect(diagnostics.isEmpty)
    #expect(settings.schemas == "Sources/Models")
    #expect(settings.migrations == "Sources/Migrations")
    #expect(settings.generation.access == .internal)
    #expect(settings.generation.imports == ["Money", "Units"])
    #expect(settings.rules == ["index-removed": .error])
    #expect(settings.baseline == "git:origin/main")
    #expect(
      settings.referenceSpans.mapValues { "\($0.start.line):\($0.start.column)" }
        == [.schemas: "1:10", .migrations: "2:13", .baseline: "5:11"])
  }

  @Test func mistakesAreReportedWhereTheyStand() {
    var diagnostics = Diagnostics()
    _ = SettingsReader.read(
      SourceFile(
        path: "strata.yaml",
        text: """
          schema: Models
          generate: { access: open, imports: [no-module] }
          """), reporting: &diagnostics)

    let found = diagnostics.sorted.map { "\($0.span?.start.line ?? 0) \($0.rule): \($0.message)" }
    #expect(
      found == [
        "1 unknown-key: unknown key 'schema'",
        "2 unknown-word: 'open' is no value of 'access'",
        "2 name-invalid: 'no-module' is no name of a module",
      ])
  }

  /// A file of 20 kB: what every upgrade is reckoned with is allowed by every multiple.
  @Test(arguments: [
    ("2.5x", 4_194_304), ("1000x", 20_000_000), ("1e300x", Int.max), ("10 kB", 10_000), ("0", 0),
  ])
  func theDiskThatAnUpgradeMayNeed(written: String, bytes: Int) {
    var diagnostics = Diagnostics()
    let settings = SettingsReader.read(
      SourceFile(path: "strata.yaml", text: "limits: { disk: \(written) }"),
      reporting: &diagnostics)

    #expect(diagnostics.isEmpty)
    #expect(settings.limits.disk?.bytes(ofFile: 20_000) == bytes)
  }
}
