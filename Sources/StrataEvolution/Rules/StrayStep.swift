import StrataSource

extension Rule {
  static let strayStep = Rule(
    "STR4021", "stray-step", .warning, .advice,
    "A step or block leads to a version that does not exist.",
    help: { _ in "freeze the version, rename the file, or delete it" },
    .history { input in
      input.strayFiles.map { file in
        Finding("'\(file.name)' leads to a version that is not there", at: file.span(0..<0))
      }
    })
}
