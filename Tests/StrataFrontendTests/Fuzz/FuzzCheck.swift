import StrataFrontend
import StrataSchema
import StrataSource

/// What has to hold for every text, whatever it is: nothing crashes, every finding has a place in it, and
/// formatting keeps its promises.
enum FuzzCheck {
  /// What does not hold for the input with this number, and the input; nil where all is well.
  static func run(seed: Int, number: Int) -> String? {
    var text = FuzzedText(seed: UInt64(seed) << 32 | UInt64(number))
    let bytes = text.next()
    return problem(with: bytes).map { "input \(number) of seed \(seed): \($0)\n\(shown(bytes))" }
  }

  private static func problem(with bytes: [UInt8]) -> String? {
    let file = SourceFile(path: "migrations/1.yaml", bytes: bytes)
    var diagnostics = Diagnostics()
    let compilation = SchemaCompiler.compile([file], reporting: &diagnostics)
    guard (compilation != nil) == !diagnostics.hasErrors else { return "a result beside errors" }
    if let schema = compilation?.schema, (try? Schema(json: schema.json)) != schema {
      return "the schema is not what its JSON says"
    }
    var others = Diagnostics()
    _ = StepReader.read(file, reporting: &others)
    _ = LockReader.read(file, reporting: &others)
    _ = SettingsReader.read(file, reporting: &others)
    for finding in diagnostics.sorted + others.sorted {
      for span in [finding.span].compactMap(\.self) + finding.labels.map(\.span) {
        guard span.range.upperBound <= bytes.count, span.start <= span.end, span.start.line >= 1,
          span.end.line <= file.lineCount
        else { return "\(finding.code) has no place: \(span)" }
      }
    }
    for format in DiagnosticFormat.allCases {
      guard !format.render(diagnostics).utf8.contains(0) else { return "a NUL in \(format)" }
    }
    for repaired in FixItApplication(diagnostics).files.values {
      var rest = Diagnostics()
      _ = SchemaCompiler.compile([repaired], reporting: &rest)
    }
    return formattingProblem(file, compilation?.schema)
  }

  private static func formattingProblem(_ file: SourceFile, _ schema: Schema?) -> String? {
    var diagnostics = Diagnostics()
    guard let once = SourceFormatter.format(file, reporting: &diagnostics) else {
      return diagnostics.hasErrors ? nil : "not formatted, without a reason"
    }
    guard SourceFormatter.format(once, reporting: &diagnostics)?.bytes == once.bytes else {
      return "formatting again gives another text:\n\(shown(once.bytes))"
    }
    var again = Diagnostics()
    let other = SchemaCompiler.compile([once], reporting: &again)?.schema
    return other == schema ? nil : "formatting changes the schema:\n\(shown(once.bytes))"
  }

  private static func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(4_000), as: UTF8.self).debugDescription
  }
}
