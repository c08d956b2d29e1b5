import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource

extension LanguageServer {
  func answerRequest(_ method: String, _ parameters: JSON) throws -> Answer {
    if method == "textDocument/documentSymbol" {
      return .written(outline(try document(parameters)))
    }
    return .value(try valueOfRequest(method, parameters))
  }

  private func valueOfRequest(_ method: String, _ parameters: JSON) throws -> JSON {
    switch method {
    case "textDocument/hover": hover(try place(parameters))
    case "textDocument/completion": completion(try place(parameters))
    case "textDocument/definition": definition(try place(parameters))
    case "textDocument/references":
      references(
        try place(parameters),
        withDeclaration: parameters["context"]?["includeDeclaration"]?.bool ?? true)
    case "workspace/symbol": symbols(matching: parameters["query"]?.string ?? "")
    case "textDocument/codeAction": try codeActions(parameters)
    case "textDocument/formatting": try format(parameters)
    case "textDocument/prepareRename": try prepareRename(try place(parameters))
    case "textDocument/rename": try rename(try place(parameters), parameters)
    default:
      throw Failure(code: .methodNotFound, message: "There is no method '\(method)'.")
    }
  }

  /// Throws where an edit could be one of a text that the editor does not have.
  ///
  /// - Parameter uri: the only document that is edited; nil where it may be any.
  private func checkTexts(of uri: String? = nil) throws {
    let own = uri.flatMap { file($0)?.place }
    let edited = uri == nil ? Array(documents.values) : own.flatMap { documents[$0] }.map { [$0] }
    guard let behind = edited?.filter(\.isBehind).map(\.uri).min() else { return }
    throw Failure(
      code: .failed,
      message: """
        A message of the editor could not be read, so that its text of '\(FileURI.path(behind) ?? behind)' is not known: close that \
        file and open it again.
        """)
  }

  /// A document, the project that reads it if there is one, and a place in it.
  struct Place {
    var project: OpenProject?
    /// As `check` writes it.
    var path: String
    var lines: TextLines
    var offset = 0
  }

  private func document(_ parameters: JSON) throws -> Place {
    guard let uri = parameters["textDocument"]?["uri"]?.string else {
      throw Failure(code: .invalidParameters, message: "'textDocument' is missing.")
    }
    guard let file = file(uri) else {
      throw Failure(code: .invalidParameters, message: "'\(uri)' is no file.")
    }
    let found = project(of: file)
    if let open = documents[file.place] {
      return Place(
        project: found?.project, path: found?.path ?? file.path, lines: open.lines)
    }
    guard let found, let source = found.project.file(at: found.path) else {
      throw Failure(
        code: .invalidParameters, message: "'\(uri)' is neither open nor part of a project.")
    }
    return Place(project: found.project, path: found.path, lines: TextLines(source.bytes))
  }

  private func place(_ parameters: JSON) throws -> Place {
    var place = try document(parameters)
    guard let position = TextPosition(parameters["position"]) else {
      throw Failure(code: .invalidParameters, message: "'position' is missing.")
    }
    place.offset = place.lines.offset(of: position)
    return place
  }

  // MARK: Looking

  private func hover(_ place: Place) -> JSON {
    guard let project = place.project,
      let found = Hover(project: project, path: place.path).text(at: place.offset)
    else { return .null }
    return [
      "contents": ["kind": "markdown", "value": .string(found.markdown)],
      "range": place.lines.json(found.range),
    ]
  }

  private func completion(_ place: Place) -> JSON {
    guard let project = place.project,
      let found = Completion(project: project, path: place.path).items(at: place.offset)
    else { return ["isIncomplete": false, "items": []] }
    let range = place.lines.json(found.replacing)
    let items = found.items.map { item -> JSON in
      var members: [String: JSON] = [
        "label": .string(item.label), "kind": .int(item.kind.rawValue),
        "textEdit": ["range": range, "newText": .string(item.text ?? item.label)],
      ]
      if let detail = item.detail { members["detail"] = .string(detail) }
      return .object(members)
    }
    return [
      "isIncomplete": .bool(found.items.count >= Completion.maximumItems), "items": .array(items),
    ]
  }

  private func occurrence(_ place: Place) -> (OpenProject, Occurrence)? {
    place.project.flatMap { project in
      project.names.occurrence(in: place.path, at: place.offset).map { (project, $0) }
    }
  }

  /// Writes places of a project's files; each file's lines are counted once for an answer.
  private struct LocationWriter {
    let server: LanguageServer
    let project: OpenProject
    private var known: [String: TextLines] = [:]

    init(_ server: LanguageServer, _ project: OpenProject) {
      self.server = server
      self.project = project
    }

    /// The lines of a file; nil where there is none.
    mutating func lines(of path: String) -> TextLines? {
      if let lines = known[path] { return lines }
      let lines = project.file(at: path).map { TextLines($0.bytes) }
      known[path] = lines
      return lines
    }

    mutating func location(_ path: String, _ range: Range<Int>) -> JSON? {
      guard let lines = lines(of: path) else { return nil }
      return ["uri": .string(server.uri(path, in: project)), "range": lines.json(range)]
    }
  }

  private func definition(_ place: Place) -> JSON {
    guard let (project, found) = occurrence(place),
      let target = project.names.declaration(of: found.symbol)
    else { return .null }
    var writer = LocationWriter(self, project)
    return writer.location(target.path, target.range) ?? .null
  }

  private func references(_ place: Place, withDeclaration: Bool) -> JSON {
    guard let (project, found) = occurrence(place) else { return .null }
    var writer = LocationWriter(self, project)
    return .array(
      project.names.occurrences(of: found.symbol)
        .filter { withDeclaration || !$0.isDeclaration }
        .compactMap { writer.location($0.path, $0.range) })
  }

  // MARK: Outlines

  private func outline(_ place: Place) -> [UInt8] {
    OutlineWriter.outline(
      of: place.project?.names.declarations(in: place.path) ?? [], in: place.lines)
  }

  /// How many symbols an answer has at most.
  private static let maximumSymbols = 500

  private func symbols(matching query: String) -> JSON {
    let wanted = query.lowercased()
    var result: [JSON] = []
    for project in projects.values.sorted(by: { $0.folder.root < $1.folder.root }) {
      let table = project.names.working
      var writer = LocationWriter(self, project)
      let found =
        table.models.keys.map { Symbol.model($0) } + table.enums.keys.map { Symbol.enumeration($0) }
      for symbol in found.sorted(by: { $0.name < $1.name })
      where wanted.isEmpty || symbol.name.lowercased().contains(wanted) {
        guard result.count < Self.maximumSymbols, let place = table.declaration(of: symbol),
          let location = writer.location(table.files[place.file].path, place.range)
        else { continue }
        result.append([
          "name": .string(symbol.name), "kind": .int(Int64(symbol.kindNumber)),
          "location": location,
        ])
      }
    }
    return .array(result)
  }

  // MARK: Editing

  private func codeActions(_ parameters: JSON) throws -> JSON {
    try checkTexts()
    let place = try document(parameters)
    guard let project = place.project, let start = TextPosition(parameters["range"]?["start"]),
      let end = TextPosition(parameters["range"]?["end"])
    else { return [] }
    let only = parameters["context"]?["only"]?.array?.compactMap(\.string)
    if let only, !only.contains(where: { $0 == "quickfix" || $0.isEmpty }) { return [] }
    project.check()
    let range =
      place.lines.offset(
        of: start)...max(place.lines.offset(of: start), place.lines.offset(of: end))
    var writer = LocationWriter(self, project)
    return .array(
      project.findings.sorted.compactMap { finding -> JSON? in
        guard let fixIt = finding.fixIt, let span = finding.span, span.path == place.path,
          span.range.lowerBound <= range.upperBound, span.range.upperBound >= range.lowerBound
        else { return nil }
        return [
          "title": .string(fixIt.title), "kind": "quickfix",
          "diagnostics": [
            .object(FindingMessages.members(of: finding, at: place.lines.json(span.range)))
          ],
          "edit": workspaceEdit(fixIt.edits, &writer),
        ]
      })
  }

  private func format(_ parameters: JSON) throws -> JSON {
    try checkTexts(of: parameters["textDocument"]?["uri"]?.string)
    let place = try document(parameters)
    // Only `freeze` writes frozen versions.
    if let project = place.project,
      project.files.versions.contains(where: { $0.path == place.path })
    {
      return []
    }
    guard ProjectFolder.isYAML(place.path) else { return [] }
    var ignored = Diagnostics()
    let file = SourceFile(path: place.path, bytes: place.lines.bytes)
    guard let formatted = SourceFormatter.format(file, reporting: &ignored) else { return .null }
    guard formatted.bytes != file.bytes else { return [] }
    return [
      [
        "range": place.lines.json(0..<file.bytes.count),
        "newText": .string(String(decoding: formatted.bytes, as: UTF8.self)),
      ]
    ]
  }

  private func prepareRename(_ place: Place) throws -> JSON {
    guard let project = place.project else { return .null }
    try checkRenaming(in: project)
    let found = try Rename(project: project, path: place.path).target(at: place.offset)
    return [
      "range": place.lines.json(found.range), "placeholder": .string(found.symbol.symbol.name),
    ]
  }

  private func rename(_ place: Place, _ parameters: JSON) throws -> JSON {
    guard let newName = parameters["newName"]?.string else {
      throw Failure(code: .invalidParameters, message: "'newName' is missing.")
    }
    guard let project = place.project else {
      throw Rename.Refusal(message: "The file belongs to no project.")
    }
    try checkRenaming(in: project)
    let edits = try Rename(project: project, path: place.path).edits(at: place.offset, to: newName)
    var writer = LocationWriter(self, project)
    return workspaceEdit(edits, &writer)
  }

  /// What cannot be read may use the name, too.
  private func checkRenaming(in project: OpenProject) throws {
    try checkTexts()
    if let obstacle = project.obstacle { throw Rename.Refusal(message: obstacle) }
  }

  /// Edits of several files, those that are to be made included.
  private func workspaceEdit(_ edits: [FixIt.Edit], _ writer: inout LocationWriter) -> JSON {
    let project = writer.project
    let byPath = Dictionary(grouping: edits, by: \.path).sorted { $0.key < $1.key }
    func texts(_ path: String, _ edits: [FixIt.Edit]) -> JSON {
      let lines = writer.lines(of: path) ?? TextLines([])
      return .array(
        edits.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { edit in
          ["range": lines.json(edit.range), "newText": .string(edit.replacement)]
        })
    }
    guard client.hasDocumentChanges else {
      return [
        "changes": .object(
          Dictionary(
            byPath.map { (uri($0.key, in: project), texts($0.key, $0.value)) },
            uniquingKeysWith: { first, _ in first }))
      ]
    }
    var changes: [JSON] = []
    for (path, own) in byPath {
      let uri = JSON.string(uri(path, in: project))
      let open = documents[project.folder.place(of: path)]
      if project.file(at: path) == nil, open == nil, client.canCreateFiles {
        changes.append(["kind": "create", "uri": uri, "options": ["ignoreIfExists": true]])
      }
      changes.append([
        "textDocument": ["uri": uri, "version": open?.version.map { .int($0) } ?? .null],
        "edits": texts(path, own),
      ])
    }
    return ["documentChanges": .array(changes)]
  }
}
