import Foundation
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataLanguageServer
import StrataProject
import StrataSchema
import StrataSource

/// How long the language server takes after a keystroke and for its answers, from the message to the bytes of the answer, with
/// 1,000 models of 20 properties against a frozen version.

func model(_ number: Int, inherits: Bool = false) -> String {
  let link = number > 0 ? "Model\(number - 1)" : "Model0"
  return """
      Model\(number):
        doc: The model with the number \(number).
        primaryKey: id
        indexes: [[lastName, firstName]]
        properties:
          id: uuid
          firstName: string
          lastName: string
          email: string?
          age: { type: int, default: 0, indexed: true }
          birthdate: date?
          height: double
          weight: float?
          isActive: { type: bool, default: true }
          picture: data?
          balance: decimal
          tags: set<string>
          scores: map<double>
          previous: \(link)?
          others: [\(link)]
          mood: { type: Mood, default: calm }
          notes: { type: string, default: "", doc: Free text. }
          created: { type: date, generate: now }
          count: int32
          city: { type: string?, indexed: true }

    """
}

func header(_ version: Int) -> String {
  "schema: Large\nversion: \(version)\nenums:\n  Mood: { type: string, cases: [calm, angry] }\n"
}

/// A project of `models` models, `perFile` in each file, with `frozen` frozen versions.
func project(models: Int, perFile: Int, frozen: Int) -> [String: String] {
  var texts: [String: String] = [:]
  for start in stride(from: 0, to: models, by: perFile) {
    let text = (start..<min(models, start + perFile)).map { model($0) }.joined()
    texts["schemas/models\(start).yaml"] =
      (start == 0 ? header(frozen + 1) : "") + "models:\n" + text
  }
  var files = ProjectFiles()
  for version in 1...frozen {
    let all = header(version) + "models:\n" + (0..<models).map { model($0) }.joined()
    texts["schemas/versions/\(version).yaml"] = all
    files.versions.append(SourceFile(path: "schemas/versions/\(version).yaml", text: all))
  }
  texts["schemas/schema.lock"] = files.impliedLock.text
  texts["migrations/\(frozen + 1).yaml"] = "to: \(frozen + 1)\n"
  return texts
}

final class Session {
  let root: URL
  let server = LanguageServer(version: "benchmark")
  private var id: Int64 = 0
  /// The bytes that an editor would have got.
  private(set) var written = 0

  init(_ texts: [String: String]) throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("strata-editor-\(UUID())")
    for (path, text) in texts {
      let url = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    request("initialize", ["rootUri": .string(FileURI.uri(root.path)), "capabilities": [:]])
    server.publishFindings()
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func uri(_ path: String) -> JSON { .string(FileURI.uri(root.path + "/" + path)) }

  func request(_ method: String, _ parameters: JSON) {
    id += 1
    server.handle(
      .message(["id": .int(id), "method": .string(method), "params": parameters]))
    send()
  }

  func notify(_ method: String, _ parameters: JSON) {
    server.handle(.message(["method": .string(method), "params": parameters]))
    server.publishFindings()
    send()
  }

  private func send() {
    for message in server.takeOutput() { written += MessageDecoder.encode(message).count }
  }
}

/// The median and the longest of some runs, in milliseconds of the processor: other programs make the clock's longer.
func measure(_ runs: Int, _ body: (Int) -> Void) -> (median: Double, longest: Double) {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) * 1e-6
  }
  let times = (0..<runs).map { run -> Double in
    let start = now()
    body(run)
    return now() - start
  }.sorted()
  return (times[times.count / 2], times[times.count - 1])
}

func say(_ what: String, _ time: (median: Double, longest: Double)) {
  print(
    "| \(what) | \(String(format: "%.1f", time.median)) | \(String(format: "%.1f", time.longest)) |"
  )
}

for (perFile, frozen) in [(10, 1), (1_000, 1), (10, 20)] {
  let session = try Session(project(models: 1_000, perFile: perFile, frozen: frozen))
  let path = "schemas/models500.yaml"
  let file = perFile == 10 ? path : "schemas/models0.yaml"
  let text = try String(contentsOf: session.root.appendingPathComponent(file), encoding: .utf8)
  session.notify(
    "textDocument/didOpen",
    ["textDocument": ["uri": session.uri(file), "version": 1, "text": .string(text)]])
  // The line of a property in the first model of the file.
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  let line = lines.firstIndex { $0.contains("notes:") } ?? 0
  let column = Int64(lines[line].utf16.count - 2)
  func change(_ text: String, _ length: Int64) {
    session.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": session.uri(file), "version": 2],
        "contentChanges": [
          [
            "range": [
              "start": ["line": .int(Int64(line)), "character": .int(column)],
              "end": ["line": .int(Int64(line)), "character": .int(column + length)],
            ], "text": .string(text),
          ]
        ],
      ])
  }
  print("\n1,000 models, \(perFile) in a file, \(frozen) frozen version\(frozen == 1 ? "" : "s")\n")
  print("| | median ms | longest ms |\n|---|---|---|")
  say(
    "keystroke to findings",
    measure(40) { run in change(run % 2 == 0 ? "x" : "", run % 2 == 0 ? 0 : 1) })
  let place: JSON = [
    "textDocument": ["uri": session.uri(file)],
    "position": ["line": .int(Int64(line - 4)), "character": 8], "newName": "other",
    "context": ["includeDeclaration": true, "diagnostics": []],
    "range": [
      "start": ["line": .int(Int64(line)), "character": 8],
      "end": ["line": .int(Int64(line)), "character": 8],
    ], "query": "Model9",
  ]
  for method in [
    "hover", "completion", "definition", "references", "rename", "documentSymbol", "formatting",
    "codeAction",
  ] {
    say(method, measure(20) { _ in session.request("textDocument/" + method, place) })
  }
  say("workspace/symbol", measure(20) { _ in session.request("workspace/symbol", place) })
  // Spaces that are too many: the answer is the whole text, which was read again to see that it means the same.
  change("   ", 0)
  say(
    "formatting of what is not formatted",
    measure(20) { _ in session.request("textDocument/formatting", place) })
}
