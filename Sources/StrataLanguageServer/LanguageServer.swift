import StrataProject
import StrataSchema
import StrataSource

/// A language server for one editor: takes messages, keeps the projects, and collects what is to be sent.
///
/// It is used by one thread at a time and neither reads nor writes a stream: `ServerLoop` does.
package final class LanguageServer {
  /// How many documents may be open.
  package static let maximumDocuments = 10_000
  /// How many projects are kept.
  package static let maximumProjects = 64
  /// How many folders of the editor's workspace are looked at.
  static let maximumFolders = 1_000

  /// The protocol's own numbers.
  enum ErrorCode: Int64 {
    case parse = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParameters = -32602
    case notInitialized = -32002
    case cancelled = -32800
    case failed = -32803
  }

  struct Failure: Error {
    let code: ErrorCode
    let message: String
  }

  enum Phase {
    case new
    case running
    case shutDown
  }

  /// The text that an editor shows beside the server's name.
  private let version: String
  private let baseline: OpenProject.Baseline
  private var phase = Phase.new
  /// Messages to be sent, in order.
  private var output: [OutgoingMessage] = []
  /// Set when the editor has said `exit`: 0 after `shutdown`, else 1.
  package private(set) var exitStatus: Int32?
  /// By where they are behind all links.
  private(set) var documents: [String: OpenDocument] = [:]
  /// What the editor calls its documents.
  private var files: [String: FilePlace] = [:]
  /// By the folder that `check` would run in, behind all links.
  private(set) var projects: [String: OpenProject] = [:]
  /// The folders that the editor has open, projects or not.
  private var workspaceFolders: Set<String> = []
  /// The findings of a file, and the URI under which the editor knows them.
  private struct Publication {
    let uri: String
    var findings: [JSON] = []
  }

  /// What was last published, by where the file is behind all links.
  private var published: [String: Publication] = [:]
  private(set) var client = ClientCapabilities()
  private var nextRequest: Int64 = 1

  /// - Parameters:
  ///   - version: the tool's version.
  ///   - baseline: reads what a project is compared with.
  package init(
    version: String,
    baseline: @escaping OpenProject.Baseline = { (_, _) throws(ProjectProblem) in nil }
  ) {
    self.version = version
    self.baseline = baseline
  }

  /// How many edits of renames were compared with places of the text since the projects were opened.
  package var comparedEditCount: Int { projects.values.reduce(0) { $0 + $1.comparedEditCount } }

  /// Takes the messages that are to be sent.
  package func takeOutput() -> [OutgoingMessage] {
    defer { output = [] }
    return output
  }

  // MARK: Messages

  /// Handles one message of the editor.
  ///
  /// - Parameter isCancelled: whether the editor has given the request up in the meantime.
  package func handle(_ item: MessageDecoder.Item, isCancelled: Bool = false) {
    switch item {
    case .invalid(let reason):
      respond(
        to: .null, error: Failure(code: .parse, message: "The message cannot be read: \(reason)."))
      // It may have been a change of any of them. The user is told where that is news.
      let isNews = documents.values.contains { !$0.isBehind }
      for place in documents.keys { documents[place]?.fallBehind() }
      if isNews { tellOfLoss(reason) }
    case .message(let message): handle(message, isCancelled: isCancelled)
    }
  }

  private func handle(_ message: JSON, isCancelled: Bool) {
    guard message.object != nil else {
      return refuse(message, because: "A message is a JSON object.")
    }
    guard let method = message["method"]?.string else {
      let isAnswer = message["result"] != nil || message["error"] != nil
      if !isAnswer { refuse(message, because: "A message without a 'method' is no request.") }
      return
    }
    let parameters = message["params"] ?? .null
    // Null is what JSON-RPC 1.0 writes into a notification.
    guard let spelled = message["id"], spelled != .null else { return notify(method, parameters) }
    guard let id = Self.id(of: message) else {
      return refuse(message, because: "The 'id' of a request is a whole number or a string.")
    }
    if isCancelled {
      return respond(
        to: id, error: Failure(code: .cancelled, message: "The request was cancelled."))
    }
    do {
      output.append(try answer(method, parameters).message(to: id))
    } catch let failure as Failure {
      respond(to: id, error: failure)
    } catch let refusal as Rename.Refusal {
      respond(to: id, error: Failure(code: .failed, message: refusal.message))
    } catch {
      respond(to: id, error: Failure(code: .failed, message: "\(error)"))
    }
  }

  private func send(_ message: JSON) { output.append(.value(message)) }

  private func respond(to id: JSON, error: Failure) {
    send([
      "jsonrpc": "2.0", "id": id,
      "error": ["code": .int(error.code.rawValue), "message": .string(error.message)],
    ])
  }

  /// Answers what is no request of the protocol: to its id, or to none where it has none that is a request's.
  private func refuse(_ message: JSON, because sentence: String) {
    respond(
      to: Self.id(of: message) ?? .null,
      error: Failure(code: .invalidRequest, message: sentence))
  }

  /// The id of a request; nil where there is none that the protocol allows.
  private static func id(of message: JSON) -> JSON? {
    message["id"].flatMap { $0.string != nil || $0.int != nil ? $0 : nil }
  }

  private func notify(_ method: String, _ parameters: JSON) {
    if method == "exit" {
      exitStatus = phase == .shutDown ? 0 : 1
      return
    }
    guard phase == .running else { return }
    switch method {
    case "initialized": registerWatchers()
    case "textDocument/didOpen": didOpen(parameters)
    case "textDocument/didChange": didChange(parameters)
    case "textDocument/didClose": didClose(parameters)
    case "textDocument/didSave", "workspace/didChangeWatchedFiles":
      for project in projects.values { project.readDisk() }
      findProjects()
    case "workspace/didChangeWorkspaceFolders":
      let event = parameters["event"]
      workspaceFolders.subtract(Self.paths(event?["removed"]?.array ?? []))
      addFolders(event?["added"]?.array ?? [])
    default: break
    }
  }

  private func answer(_ method: String, _ parameters: JSON) throws -> Answer {
    switch (phase, method) {
    case (.new, "initialize"): return .value(initialize(parameters))
    case (.new, _):
      throw Failure(code: .notInitialized, message: "The first request is 'initialize'.")
    case (.shutDown, _):
      throw Failure(code: .invalidRequest, message: "After 'shutdown' comes only 'exit'.")
    case (.running, "shutdown"):
      phase = .shutDown
      return .value(.null)
    case (.running, "initialize"):
      throw Failure(code: .invalidRequest, message: "The server is initialized already.")
    default: return try answerRequest(method, parameters)
    }
  }

  private func initialize(_ parameters: JSON) -> JSON {
    phase = .running
    client = ClientCapabilities(parameters["capabilities"])
    if let folders = parameters["workspaceFolders"]?.array {
      addFolders(folders)
    } else if let uri = parameters["rootUri"]?.string {
      addFolders([["uri": .string(uri)]])
    }
    return [
      "serverInfo": ["name": "strata", "version": .string(version)],
      "capabilities": Self.capabilities,
    ]
  }

  private static let capabilities: JSON = [
    "positionEncoding": "utf-16",
    "textDocumentSync": ["openClose": true, "change": 2, "save": ["includeText": false]],
    "hoverProvider": true,
    "completionProvider": ["triggerCharacters": [" ", "[", "<", ".", ":"]],
    "definitionProvider": true,
    "referencesProvider": true,
    "documentSymbolProvider": true,
    "workspaceSymbolProvider": true,
    "codeActionProvider": ["codeActionKinds": ["quickfix"]],
    "documentFormattingProvider": true,
    "renameProvider": ["prepareProvider": true],
    "workspace": ["workspaceFolders": ["supported": true, "changeNotifications": true]],
  ]

  /// Asks the editor to tell of files that change without being open.
  private func registerWatchers() {
    guard client.canRegisterWatchers else { return }
    let patterns = ["**/*.yaml", "**/*.yml", "**/schema.lock", "**/*.swift"]
    send([
      "jsonrpc": "2.0", "id": .string("strata-\(nextRequest)"),
      "method": "client/registerCapability",
      "params": [
        "registrations": [
          [
            "id": "strata-files", "method": "workspace/didChangeWatchedFiles",
            "registerOptions": ["watchers": .array(patterns.map { ["globPattern": .string($0)] })],
          ]
        ]
      ],
    ])
    nextRequest += 1
  }

  private static func paths(_ folders: [JSON]) -> [String] {
    folders.compactMap { $0["uri"]?.string.flatMap(FileURI.path) }
  }

  private func addFolders(_ folders: [JSON]) {
    for path in Self.paths(folders) where workspaceFolders.count < Self.maximumFolders {
      workspaceFolders.insert(path)
    }
    findProjects()
  }

  /// Adds the projects of the editor's folders and documents. A folder that was none becomes one by a file that is saved, or that
  /// comes with another branch, while what it holds is open.
  private func findProjects() {
    for folder in workspaceFolders.sorted() where ProjectFolder.isRoot(folder) {
      addProject(root: folder)
    }
    for folder in Set(files.values.map { ProjectFolder.parent($0.path) }).sorted() {
      if let root = ProjectFolder.root(ofFilesIn: folder) { addProject(root: root) }
    }
  }

  // MARK: Documents

  /// The file of a URI: that of an open document as when it was opened.
  func file(_ uri: String) -> FilePlace? { files[uri] ?? FilePlace(uri: uri) }

  private func file(of document: JSON?) -> FilePlace? { document?["uri"]?.string.flatMap(file) }

  private func didOpen(_ parameters: JSON) {
    guard let document = parameters["textDocument"], let uri = document["uri"]?.string,
      let text = document["text"]?.string, let file = FilePlace(uri: uri),
      documents[file.place] != nil || documents.count < Self.maximumDocuments
    else { return }
    close(file)
    files[uri] = file
    documents[file.place] = OpenDocument(
      uri: uri, version: document["version"]?.int, text: text)
    synchronize(file)
    if let root = ProjectFolder.root(ofFilesIn: ProjectFolder.parent(file.path)) {
      addProject(root: root)
    }
  }

  private func didChange(_ parameters: JSON) {
    let document = parameters["textDocument"]
    guard let file = file(of: document), let wasBehind = documents[file.place]?.isBehind
    else { return }
    documents[file.place]?.version = document?["version"]?.int
    documents[file.place]?.apply(parameters["contentChanges"]?.array ?? [])
    if documents[file.place]?.isBehind == true, !wasBehind {
      tellOfLoss("a change of '\(file.path)' tears or joins the halves of a character")
    }
    synchronize(file)
  }

  private func didClose(_ parameters: JSON) {
    guard let file = file(of: parameters["textDocument"]) else { return }
    close(file)
    synchronize(file)
  }

  private func close(_ file: FilePlace) {
    if let closed = documents.removeValue(forKey: file.place) { files[closed.uri] = nil }
  }

  /// Tells the projects the text of a document.
  private func synchronize(_ file: FilePlace) {
    let text = documents[file.place]?.readBytes
    for project in projects.values { project.setText(text, at: file.place) }
  }

  // MARK: Projects

  private func addProject(root: String) {
    let place = ProjectFolder.place(of: root)
    guard projects[place] == nil, projects.count < Self.maximumProjects else { return }
    projects[place] = OpenProject(
      root: root, open: documents.mapValues(\.readBytes), baseline: baseline)
  }

  /// The project that reads a file, and the file's path as `check` writes it.
  func project(of file: FilePlace) -> (project: OpenProject, path: String)? {
    var found: (project: OpenProject, path: String, rank: (Int, Int))?
    for project in projects.values.sorted(by: { $0.folder.root < $1.folder.root }) {
      guard let path = project.folder.path(of: file.place) else { continue }
      // Several projects may read one folder by links: the editor says which one it means. Of nested ones it is the innermost.
      let isNamed = project.folder.absolute(path) == file.path
      let rank = (isNamed ? 1 : 0, project.folder.root.utf8.count)
      if let found, found.rank >= rank { continue }
      found = (project, path, rank)
    }
    return found.map { ($0.project, $0.path) }
  }

  /// The URI of a project's file, as the editor spells it where it has or had it open.
  func uri(_ path: String, in project: OpenProject) -> String {
    let place = project.folder.place(of: path)
    return documents[place]?.uri ?? published[place]?.uri
      ?? FileURI.uri(project.folder.absolute(path))
  }

  // MARK: Findings

  /// Looks for findings in what has changed, and publishes those of files where they are others now.
  package func publishFindings() {
    guard phase == .running, projects.values.contains(where: \.hasNews) else { return }
    var now: [String: Publication] = [:]
    for project in projects.values.sorted(by: { $0.folder.root < $1.folder.root }) {
      project.check()
      project.hasNews = false
      tellOfProblem(of: project)
      for (path, findings) in FindingMessages(project: project, server: self).byFile {
        var publication =
          now[project.folder.place(of: path)] ?? Publication(uri: uri(path, in: project))
        // Of a file that several projects read, what all of them find is told once.
        let known = Set(publication.findings)
        publication.findings += findings.filter { !known.contains($0) }
        now[project.folder.place(of: path)] = publication
      }
    }
    for place in Set(published.keys).union(now.keys).sorted() {
      let (old, new) = (published[place], now[place])
      if let old, old.uri != new?.uri { publish([], of: place, as: old.uri) }
      if let new, old?.uri != new.uri || old?.findings != new.findings {
        publish(new.findings, of: place, as: new.uri)
      }
    }
    published = now
  }

  private func publish(_ findings: [JSON], of place: String, as uri: String) {
    var parameters: [String: JSON] = ["uri": .string(uri), "diagnostics": .array(findings)]
    if let open = documents[place], open.uri == uri, let version = open.version {
      parameters["version"] = .int(version)
    }
    send([
      "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics",
      "params": .object(parameters),
    ])
  }
}

extension LanguageServer {
  private static let messageIsError: JSON = 1

  private func tellOfLoss(_ reason: String) {
    send([
      "jsonrpc": "2.0", "method": "window/showMessage",
      "params": [
        "type": Self.messageIsError,
        "message": .string(
          """
          A message of the editor could not be read: \(reason). What strata finds may be of an earlier text until the open files are \
          closed and opened again.
          """),
      ],
    ])
  }

  /// Says once what keeps a project from being read.
  private func tellOfProblem(of project: OpenProject) {
    let problem = project.problem
    if let problem, problem != project.toldProblem {
      send([
        "jsonrpc": "2.0", "method": "window/showMessage",
        "params": ["type": Self.messageIsError, "message": .string(problem)],
      ])
    }
    project.toldProblem = problem
  }
}

/// What of the protocol the editor has beyond the least.
struct ClientCapabilities {
  var canRegisterWatchers = false
  var hasDocumentChanges = false
  var canCreateFiles = false

  init() {}

  init(_ json: JSON?) {
    let workspace = json?["workspace"]
    canRegisterWatchers = workspace?["didChangeWatchedFiles"]?["dynamicRegistration"]?.bool ?? false
    let edit = workspace?["workspaceEdit"]
    hasDocumentChanges = edit?["documentChanges"]?.bool ?? false
    canCreateFiles = edit?["resourceOperations"]?.array?.contains("create") ?? false
  }
}
