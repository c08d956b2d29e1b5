import Foundation
import StrataExpression
import StrataHistory
import StrataLanguageServer
import StrataProject
import StrataSchema
import StrataSource

/// An editor in the process of the test: a folder, the messages that the server sends, and what the editor has open.
final class TestEditor {
  let root: URL
  let server: LanguageServer
  /// The findings as they were last published, by path in the folder.
  private(set) var published: [String: [JSON]] = [:]
  /// The same by the URI that the server has written; what was taken back is not in it.
  private(set) var publishedByURI: [String: [JSON]] = [:]
  /// What the server has told its user.
  private(set) var messages: [String] = []
  private(set) var open: [String: String] = [:]
  private var lastID: Int64 = 0
  private let temporary: URL
  /// What makes the URI of a path.
  private let spelling: (String) -> String

  /// - Parameters:
  ///   - files: by path; what is no frozen version needs no lock.
  ///   - folder: the name of the project's folder.
  ///   - link: the name of a link to the folder, beside it.
  ///   - spelling: how the editor writes the URI of a path.
  ///   - baseline: reads what a project is compared with.
  init(
    _ files: [String: String], in folder: String = "project", linkedAs link: String? = nil,
    spelling: @escaping (String) -> String = FileURI.uri,
    baseline: @escaping OpenProject.Baseline = { (_, _) throws(ProjectProblem) in nil }
  ) throws {
    server = LanguageServer(version: "test", baseline: baseline)
    temporary = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-lsp-\(UUID())").resolvingSymlinksInPath()
    root = temporary.appendingPathComponent(folder)
    self.spelling = spelling
    for (path, text) in files { try write(text, to: path) }
    if let link {
      try FileManager.default.createSymbolicLink(
        at: temporary.appendingPathComponent(link), withDestinationURL: root)
    }
    request(
      "initialize",
      [
        "workspaceFolders": [["uri": .string(uri("")), "name": "test"]],
        "capabilities": [
          "workspace": [
            "workspaceEdit": ["documentChanges": true, "resourceOperations": ["create"]]
          ]
        ],
      ])
    notify("initialized", [:])
  }

  deinit { try? FileManager.default.removeItem(at: temporary) }

  func write(_ text: String, to path: String) throws {
    let url = root.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func setOpen(_ text: String, at path: String) { open[path] = text }

  func text(_ path: String) throws -> String {
    try open[path]
      ?? String(decoding: Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
  }

  func uri(_ path: String) -> String {
    spelling(path.isEmpty ? root.path : root.path + "/" + path)
  }

  // MARK: Messages

  @discardableResult
  func request(_ method: String, _ parameters: JSON) -> JSON {
    lastID += 1
    server.handle(
      .message([
        "jsonrpc": "2.0", "id": .int(lastID), "method": .string(method), "params": parameters,
      ]))
    return receive() ?? .null
  }

  func notify(_ method: String, _ parameters: JSON) {
    server.handle(.message(["jsonrpc": "2.0", "method": .string(method), "params": parameters]))
    _ = receive()
  }

  /// The answer to the last request, or its error.
  private func receive() -> JSON? {
    server.publishFindings()
    var answer: JSON?
    for message in server.takeOutput().compactMap(\.json) {
      if message["method"]?.string == "textDocument/publishDiagnostics",
        let parameters = message["params"], let uri = parameters["uri"]?.string,
        let path = FileURI.path(uri)
      {
        let findings = parameters["diagnostics"]?.array ?? []
        publishedByURI[uri] = findings.isEmpty ? nil : findings
        published[String(path.dropFirst(root.path.count + 1))] = findings
      } else if message["method"]?.string == "window/showMessage" {
        messages.append(message["params"]?["message"]?.string ?? "")
      } else if message["id"]?.int == lastID {
        answer = message["result"] ?? message["error"]
      }
    }
    return answer
  }

  // MARK: Documents

  func openDocument(_ path: String) throws {
    let text = try text(path)
    open[path] = text
    notify(
      "textDocument/didOpen",
      [
        "textDocument": [
          "uri": .string(uri(path)), "languageId": "yaml", "version": 1, "text": .string(text),
        ]
      ])
  }

  func closeDocument(_ path: String) {
    open[path] = nil
    notify("textDocument/didClose", ["textDocument": ["uri": .string(uri(path))]])
  }

  /// Puts a whole text into a document, which is opened where it is not.
  func type(_ text: String, in path: String) throws {
    if open[path] == nil {
      if !FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path) {
        open[path] = ""
      }
      try openDocument(path)
    }
    open[path] = text
    notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(uri(path)), "version": 2],
        "contentChanges": [["text": .string(text)]],
      ])
  }

  /// The position of the n-th place of a text in a document: at its start, or behind `offset` of its characters.
  func position(of part: String, in path: String, number: Int = 1, offset: Int = 0) throws -> JSON {
    let text = try self.text(path)
    var start = text.startIndex
    var found: String.Index?
    for _ in 1...number {
      guard let range = text.range(of: part, range: start..<text.endIndex) else { break }
      found = range.lowerBound
      start = range.upperBound
    }
    guard let found else { throw CocoaError(.formatting) }
    let place = text.index(found, offsetBy: offset)
    let line = text[..<place].split(separator: "\n", omittingEmptySubsequences: false)
    return [
      "line": .int(Int64(line.count - 1)), "character": .int(Int64(line.last?.utf16.count ?? 0)),
    ]
  }

  func at(_ part: String, in path: String, number: Int = 1, offset: Int = 0) throws -> JSON {
    [
      "textDocument": ["uri": .string(uri(path))],
      "position": try position(of: part, in: path, number: number, offset: offset),
    ]
  }

  /// What is proposed at the end of a text, which becomes that of a document.
  func completions(behind text: String, in path: String) throws -> [String] {
    try type(text, in: path)
    let answer = request(
      "textDocument/completion",
      [
        "textDocument": ["uri": .string(uri(path))],
        "position": TextLines(Array(text.utf8)).position(of: text.utf8.count).json,
      ])
    return (answer["items"]?.array ?? []).compactMap { $0["label"]?.string }
  }

  /// Applies a workspace edit to documents and files.
  func apply(_ edit: JSON) throws {
    for change in edit["documentChanges"]?.array ?? [] {
      guard let uri = (change["textDocument"]?["uri"] ?? change["uri"])?.string,
        let full = FileURI.path(uri)
      else { continue }
      let path = String(full.dropFirst(root.path.count + 1))
      if change["kind"]?.string == "create" {
        try write("", to: path)
        continue
      }
      let lines = TextLines(Array(try text(path).utf8))
      var bytes = lines.bytes
      for edit in (change["edits"]?.array ?? []).reversed() {
        func offset(_ key: String) -> Int {
          let place = edit["range"]?[key]
          return lines.offset(
            of: TextPosition(
              line: Int(place?["line"]?.int ?? 0), character: Int(place?["character"]?.int ?? 0)))
        }
        bytes.replaceSubrange(
          offset("start")..<offset("end"), with: Array((edit["newText"]?.string ?? "").utf8))
      }
      try type(String(decoding: bytes, as: UTF8.self), in: path)
    }
  }

  // MARK: Findings

  /// The published findings as `path:line:column CODE`.
  var findings: [String] {
    published.sorted { $0.key < $1.key }.flatMap { path, findings in
      findings.map { finding in
        let start = finding["range"]?["start"]
        return
          "\(path):\((start?["line"]?.int ?? 0) + 1):\((start?["character"]?.int ?? 0) + 1) \(finding["code"]?.string ?? "")"
      }
    }
  }

  /// What `check` finds in the texts as they stand: everything is read again, without a cache.
  func checked() throws -> [String] {
    func sources(_ folder: String, _ endings: [String]) -> [SourceFile] {
      let there = (try? SourceFolder.read(root.path + "/" + folder, extensions: endings)) ?? []
      var texts = Dictionary(
        uniqueKeysWithValues: there.map { (folder + "/" + $0.name, $0.bytes) })
      for (path, text) in open
      where path.hasPrefix(folder + "/") && !path.dropFirst(folder.count + 1).contains("/")
        && endings.contains(where: { path.hasSuffix("." + $0) })
      {
        texts[path] = Array(text.utf8)
      }
      return texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
        SourceFile(path: $0.key, bytes: $0.value)
      }
    }
    let files = ProjectFiles(
      schemas: sources("schemas", ["yaml"]), versions: sources("schemas/versions", ["yaml"]),
      lock: sources("schemas", ["lock"]).first, steps: sources("migrations", ["yaml"]),
      swift: sources("migrations", ["swift"]))
    let found = ProjectCheck.run(files)
    return found.sorted.map { finding in
      let path = finding.span?.path ?? files.schemas.first?.path ?? ""
      let lines = TextLines(found.sources[path]?.bytes ?? [])
      let start = lines.position(of: finding.span?.range.lowerBound ?? 0)
      return "\(path):\(start.line + 1):\(start.character + 1) \(finding.code)"
    }.sorted()
  }
}

/// A project with a frozen version 1, whose declarations are version 2.
enum TestProject {
  private static let classes = """
      Person:
        doc: A person in the address book.
        primaryKey: id
        indexes: [[email]]
        properties:
          id: uuid
          name: string
          email: { type: string?, doc: Where letters go. }
          boss: Person?
          reports: { linkingObjects: Person.boss }
          mood: { type: Mood, default: calm }
          home: Address?
      Student:
        extends: Person
        properties: { school: string? }
    """

  static let people = """
    schema: People
    version: 2
    models:
    \(classes)
    enums:
      Mood: { type: string, cases: [calm, angry] }

    """

  static let places = """
    models:
      Address:
        embedded: true
        properties:
          street: string

    """

  static let frozen = """
    schema: People
    version: 1
    models:
    \(classes)
      Address:
        embedded: true
        properties:
          street: string
    enums:
      Mood: { type: string, cases: [calm, angry] }

    """

  static func files(step: String? = nil) -> [String: String] {
    var files = ProjectFiles(
      versions: [SourceFile(path: "schemas/versions/1.yaml", text: frozen)])
    files.migrationsPath = "migrations"
    var texts = [
      "schemas/People.yaml": people, "schemas/Places.yaml": places,
      "schemas/versions/1.yaml": frozen, "schemas/schema.lock": files.impliedLock.text,
    ]
    texts["migrations/2.yaml"] = step
    return texts
  }
}

extension TestEditor {
  /// Sends a change of a range, and makes it to the test's own text.
  func change(
    _ path: String, from start: TextPosition, to end: TextPosition, _ text: String, version: Int64
  ) throws {
    let lines = TextLines(Array(try self.text(path).utf8))
    var bytes = lines.bytes
    bytes.replaceSubrange(
      lines.offset(of: start)..<lines.offset(of: end), with: Array(text.utf8))
    setOpen(String(decoding: bytes, as: UTF8.self), at: path)
    notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(uri(path)), "version": .int(version)],
        "contentChanges": [
          ["range": ["start": start.json, "end": end.json], "text": .string(text)]
        ],
      ])
  }
}
