import Testing

@testable import StrataEvolution

/// What the rule against clock, chance and surroundings finds in a block, and what it leaves alone.
@Suite("Purity of blocks")
struct PurityTests {
  func found(_ text: String) -> [String] {
    Purity(SwiftLexer.tokens(of: Array(text.utf8))).violations.map(\.message)
  }

  @Test(
    "Found",
    arguments: [
      "Date()", "Date.now", "new.a = .now", "Date.init()", "Foundation.Date()",
      "Date(timeIntervalSinceNow: 5)", "Date.timeIntervalSinceReferenceDate", "time(nil)",
      "UUID()", "UUID.init()", "ObjectID()", "NSUUID().uuidString",
      "Int.random(in: 0..<3)", "Bool.random()", "random()", "names.randomElement()",
      "names.shuffled()",
      "var g = SystemRandomNumberGenerator()", "arc4random_uniform(3)",
      "Locale.current", "TimeZone.current", "Calendar.autoupdatingCurrent", "DateFormatter()",
      "old.age.formatted()", "old.name.localizedCapitalized",
      "ProcessInfo.processInfo.environment", "getenv(x)", "CommandLine.arguments",
      "UserDefaults.standard", "FileManager.default", "try String(contentsOfFile: path)",
      "try Data(contentsOf: url)", "URLSession.shared", "Bundle.main", "Task { }",
      "old.date.timeIntervalSinceNow", "if d.timeIntervalSinceNow == 0 { }",
      "old.price.description(with: .current)", "old.name.lowercased(with: .autoupdatingCurrent)",
      "f(locale: .current)", "f(in: .current)", "let name = \"\\(old.date.timeIntervalSinceNow)\"",
      "old.name.hashValue", "static var count = 0", "nonisolated(unsafe) let x = 1",
      "let name = \"\\(UUID())\"", "let name = #\"\\#(Date())\"#", "f(/a/, UUID())",
      "let r = /\"/; let id = UUID()", "#if DEBUG\nUUID()\n#endif", "`UUID`()",
      "let make = UUID.init", "f(Date.init)", "NSDate()", "NSDate.now", "clock()",
      "SecRandomCopyBytes(nil, 8, &bytes)", "Locale.preferredLanguages", "Host.current().name",
      "Foundation.Host.current()", "let make: () -> UUID = UUID.init", "Darwin.random()",
    ])
  func impure(text: String) {
    #expect(found(text).count == 1, "\(found(text))")
  }

  @Test(
    "Left alone",
    arguments: [
      "Date(timeIntervalSinceReferenceDate: 0)", "step.date", "step.uuid(for: old)", "old.now",
      "UUID(uuidString: x)", "new.id = old.uuid", "new.date = old.date",
      "Int.random(in: 0..<3, using: &generator)", "var g = step.random(for: old)",
      "names.shuffled(using: &g)", "names.append(contentsOf: more)", "f(now: 1)",
      "// Date()\nlet a = 1", "/* UUID() /* Date() */ */", "\"Date() UUID()\"",
      "#\"\\(UUID())\"#", "\"\"\"\n  Date()\n  \"\"\"", "let r = #/UUID()/#", "let r = /Date()/",
      "new.timeIntervalSinceNow = 3", "d.timeIntervalSinceReferenceDate",
      "f(with: .current2, state: .current)", "f(locale: Locale(identifier: x))",
      "static var name: String { old }", "old.current", "model.time(at: 3)",
      "Locale(identifier: x)", "old.texts.compactMap(UUID.init)", "old.times.map(Date.init)",
      "UUID.init(uuidString: x)", "NSDate(timeIntervalSinceReferenceDate: 0)", "old.clock()",
      "func random() -> Int { 4 }", "let clock = old.time", "V0.Host.current(old)",
      "func random() -> Int { 4 }; let a = random()", "let make: (String) -> UUID? = UUID.init",
      "TimeZone(secondsFromGMT: 0)", "case random(Int)", "enum Task2 { case a }",
    ])
  func pure(text: String) {
    #expect(found(text) == [])
  }

  @Test("The place is that of the name, in bytes, behind whatever stands before it")
  func places() {
    let text = "let ä = \"🐕 \\(old)\" /* é */; new.id = UUID()"
    let violation = Purity(SwiftLexer.tokens(of: Array(text.utf8))).violations.first
    let range = violation?.range ?? 0..<0
    #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == "UUID")
  }
}
