import Foundation
import StrataSchema
import Testing

/// TypeScript's compiler, where it is installed.
enum TypeScript {
  static let compiler: String? =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/tsc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  static let absence: Comment = "tsc is not installed (apt-get install node-typescript)"
}

/// The scripts of the pages, held against their JSDoc types: docs/decisions/0106.
@Suite("Scripts of pages", .enabled(if: TypeScript.compiler != nil, TypeScript.absence))
struct ScriptTypeTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func problems(of script: String) throws -> String {
    try script.write(toFile: run.path("script.js"), atomically: true, encoding: .utf8)
    let compiler = try #require(TypeScript.compiler)
    return try run.shell(
      "\(compiler) --noEmit --allowJs --checkJs --strict --target es2022 --lib es2022,dom,dom.iterable script.js"
    ).output
  }

  @Test("The page of browse")
  func browse() throws {
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    let command = try run.startPeople("browse", "p.db", "--json")
    defer { command.send(SIGTERM) }
    let line = try #require(command.nextLine())
    let text = try #require(try JSON.parse(line)["address"]?.string)
    let address = try #require(URL(string: text))
    let port = try #require(address.port)
    let request =
      "GET \(address.path)/app.js HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\nConnection: close\\r\\n\\r\\n"
      .replacingOccurrences(of: "//app.js", with: "/app.js")
    let answer = try run.shell(
      "bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"\(request)\" >&3; cat <&3'"
    ).output
    let end = try #require(answer.range(of: "\r\n\r\n"))
    let script = String(answer[end.upperBound...])
    #expect(script.hasPrefix("// @ts-check\n"))
    #expect(try problems(of: script) == "")
    #expect(try problems(of: script + "\nbrief(1, 2, 3);").contains("TS2554"))
  }

  @Test("The report")
  func report() throws {
    let root = CommandRunner.root.path
    let written = try run.strata(
      "docs", "--output", "report", "--schemas", "\(root)/schemas", "--migrations",
      "\(root)/migrations")
    #expect(written.status == 0, "\(written.errors)")
    let page = try String(contentsOfFile: run.path("report/index.html"), encoding: .utf8)
    let parts = page.components(separatedBy: "<script>").dropFirst()
      .compactMap { $0.components(separatedBy: "</script>").first }
    #expect(!parts.isEmpty)
    for script in parts { #expect(try problems(of: script) == "") }
  }
}
