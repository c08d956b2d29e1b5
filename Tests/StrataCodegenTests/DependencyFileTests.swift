import Foundation
import StrataCodegen
import Testing

@Suite struct DependencyFileTests {
  @Test func makeSyntax() {
    let text = DependencyFile.text(
      for: "out/all.d", inputs: ["my schemas/a.yaml", "$b.yaml"])

    #expect(
      text == """
        out/all.d: \\
          my\\ schemas/a.yaml \\
          $$b.yaml

        my\\ schemas/a.yaml:

        $$b.yaml:

        """)
  }

  private static let oddNames = [
    "plain", "a b", "a$b", "a$(b)c", "a#b", "a:b", "a%b", "a\\b", "a\\ b", "a\\#b", "größe", "[a]",
    "~a", "a,b",
    "a+b", "a{b}", "a'b", "a\"b", "  two",
    "a \u{301}b", "a$\u{301}",
  ]

  private static let hasMake = ["/usr/bin/make", "/bin/make", "/usr/local/bin/make"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  /// make itself reads the file: it runs when the input is newer or gone, and rests when it is older.
  @Test(.enabled(if: hasMake, "make is not installed"), arguments: oddNames)
  func makeUnderstands(_ name: String) throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: folder) }
    let input = folder.appendingPathComponent(name)
    let output = folder.appendingPathComponent("all.d")
    try Data().write(to: input)
    let text = DependencyFile.text(for: "all.d", inputs: [name])
    try Data(text.utf8).write(to: output)
    try Data("all.d:\n\t@echo RUN\n-include all.d\n".utf8)
      .write(to: folder.appendingPathComponent("Makefile"))
    func setDate(_ url: URL, _ seconds: Double) throws {
      try manager.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: url.path)
    }
    func runs() throws -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["make", "--no-print-directory", "all.d"]
      process.currentDirectoryURL = folder
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(text)")
      return text.contains("RUN")
    }

    try setDate(output, 1000)
    try setDate(input, 500)
    #expect(try !runs())
    try setDate(input, 2000)
    #expect(try runs())
    try manager.removeItem(at: input)
    try setDate(output, 1000)
    #expect(try runs())
  }
}
