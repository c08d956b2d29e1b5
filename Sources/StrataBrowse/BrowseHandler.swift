import Strata
import StrataSQLite
import StrataSchema

/// Answers what the page asks for.
package final class BrowseHandler {
  private let session: BrowseSession
  private let access: AccessGuard

  package init(_ session: BrowseSession, access: AccessGuard) {
    self.session = session
    self.access = access
  }

  /// - Returns: Nil for an edit that has to wait until an export of what is not saved is whole.
  package func answer(_ request: HTTPRequest) -> HTTPResponse? {
    guard var response = answerUnguarded(request) else { return nil }
    session.rest()
    response.headers += AccessGuard.headers
    if !response.headers.contains(where: { $0.name == "Content-Security-Policy" }) {
      response.headers.append(("Content-Security-Policy", AccessGuard.policyOfData))
    }
    return response
  }

  private func answerUnguarded(_ request: HTTPRequest) -> HTTPResponse? {
    guard let path = access.path(of: request) else { return .text(403, "Refused.") }
    do {
      switch (request.method, path.first ?? "", path.count) {
      case ("GET", "", 0...1): return page()
      case ("GET", "app.js", 1):
        return HTTPResponse(
          200, type: "text/javascript; charset=utf-8", .bytes(Array(BrowseScript.text.utf8)))
      case ("GET", "app.css", 1):
        return HTTPResponse(
          200, type: "text/css; charset=utf-8", .bytes(Array(BrowseStyle.text.utf8)))
      case ("GET", "data", 4): return try data(path, request)
      case ("GET", "export", 1): return try export(request)
      case ("POST", "api", 1): return try api(request)
      case ("GET", _, _), ("POST", _, _): return .text(404, "There is nothing here.")
      default: return .text(405, "Only GET and POST.")
      }
    } catch {
      return refusal(error)
    }
  }

  private func refusal(_ error: any Error) -> HTTPResponse {
    var members: [String: JSON] = ["error": .string("\(error)")]
    switch error {
    case StoreError.duplicatePrimaryKey(let model, let key):
      // The store's own sentence names an argument of a call.
      members["error"] = .string(
        "There is an object of \(model) with the primary key \(key) already: choose another value.")
      members["code"] = .string(StoreError.duplicatePrimaryKey(model: model, key: key).code)
    case let error as BrowseError: members["code"] = error.code.map(JSON.string) ?? .null
    case let error as StoreError: members["code"] = .string(error.code)
    case let error as MigrationError: members["code"] = .string(error.code)
    default: break
    }
    return .json(.object(members), status: 400)
  }

  // MARK: - The page

  /// The page, with the content of its first view, so that rows are there with it.
  private func page() -> HTTPResponse {
    var first: [String: JSON] = [:]
    if let state = try? freshState(session.shown) {
      first["state"] = state
      if let model = try? session.shown.firstModel() {
        first["model"] = .string(model)
        first["page"] = try? session.shown.page(RowQuery(model: model), from: 0, count: 100)
      }
    }
    return HTTPResponse(
      200, type: "text/html; charset=utf-8",
      .bytes(Array(BrowsePage.text(token: access.token, first: .object(first)).utf8)),
      headers: [("Content-Security-Policy", AccessGuard.policy)])
  }

  private func freshState(_ content: any PageContent) throws -> JSON {
    try content.refresh()
    return try session.state(content)
  }

  // MARK: - Files

  private func data(_ path: [String], _ request: HTTPRequest) throws -> HTTPResponse {
    let content = try session.content(request.query["side"])
    try session.keepEdits()
    try content.refresh()
    guard let identity = Int64(path[2]),
      let bytes = try content.data(
        path[1], identity, path[3], at: request.query["at"].flatMap { Int($0) })
    else { return .text(404, "There is no data.") }
    let image = ImageKind(bytes)
    return HTTPResponse(
      200, type: image?.type ?? "application/octet-stream", .bytes(bytes),
      headers: image == nil
        ? [("Content-Disposition", "attachment; filename=\"data.bin\"")] : [])
  }

  private func export(_ request: HTTPRequest) throws -> HTTPResponse {
    let fields = request.query
    guard let format = ExportFormat(rawValue: fields["format"] ?? ""),
      let json = try? JSON.parse(fields["query"] ?? "")
    else { return .text(400, "Which format, of which objects?") }
    try session.keepEdits()
    let content = try session.content(fields["side"])
    try content.refresh()
    let query = try rowQuery(json)
    return HTTPResponse(
      200, type: format == .csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
      .pieces(try session.export(query, as: format, of: content)),
      headers: [("Content-Disposition", Self.attachment(query.model, format.rawValue))])
  }

  /// What a saved file is called: its whole name as RFC 8187 spells it, and what of it is plain ASCII for programs that do not read that.
  static func attachment(_ name: String, _ ending: String) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    let plain = String(decoding: name.utf8.filter(isPlain), as: UTF8.self)
    let whole = name.utf8.map { byte in
      isPlain(byte)
        ? String(decoding: [byte], as: UTF8.self) : "%" + Hex.encode([byte]).uppercased()
    }
    return """
      attachment; filename="\(plain.isEmpty ? "objects" : plain).\(ending)"; \
      filename*=UTF-8''\(whole.joined()).\(ending)
      """
  }

  // MARK: - Questions

  /// Questions that change what is shown.
  private static let edits: Set = [
    "set", "element", "create", "sample", "delete", "undo", "revert", "save",
  ]

  private func api(_ request: HTTPRequest) throws -> HTTPResponse? {
    guard request.headers["content-type"]?.hasPrefix("application/json") == true else {
      return .text(415, "JSON is expected.")
    }
    let json: JSON
    do {
      json = try JSON.parse(request.body)
    } catch {
      throw BrowseError("The request is no JSON: \(error)")
    }
    if session.isExportingEdits, Self.edits.contains(json["do"]?.string ?? "") { return nil }
    let content = try session.content(json["side"]?.string)
    try session.keepEdits()
    try content.refresh()
    return .json(try answer(json, content))
  }

  private func answer(_ json: JSON, _ content: any PageContent) throws -> JSON {
    let name = json["model"]?.string ?? ""
    func identity() throws -> Int64 {
      guard let identity = json["id"]?.string.flatMap({ Int64($0) }) else {
        throw BrowseError("Which object?")
      }
      return identity
    }
    let from = Int(json["from"]?.int ?? 0)
    let count = Int(json["count"]?.int ?? 100)
    switch json["do"]?.string {
    case "state":
      return try session.state(content, isCounted: json["counted"]?.bool == true)
    case "count":
      return .object(["total": .int(Int64(try content.total(try rowQuery(json))))])
    case "rows": return try content.page(try rowQuery(json), from: from, count: count)
    case "object": return try content.describe(name, try identity())
    case "elements":
      return try content.elements(
        name, try identity(), json["property"]?.string ?? "", from: from, count: count,
        isWhole: json["whole"]?.bool == true)
    case "value":
      return try content.value(name, try identity(), json["property"]?.string ?? "")
    case "model": return try content.columns(ofModel: name)
    case "check":
      let content = try conditioned(content)
      return .object([
        "problem": ConditionCheck(schema: content.schema, model: try content.model(name))
          .problem(of: json["filter"]?.string ?? "")
      ])
    case "complete":
      let content = try conditioned(content)
      return try complete(json, content, try content.model(name))
    case "plan": return .object(["text": .string(try session.options.plan?() ?? "")])
    case "set":
      _ = try session.perform(
        Edit(
          model: name, target: .row(try identity()),
          change: .set(property: json["property"]?.string ?? "", value: json["value"] ?? .null),
          was: json["was"]?.string))
      return try session.state(content)
    case "element":
      _ = try session.perform(
        Edit(
          model: name, target: .row(try identity()),
          change: .element(
            property: json["property"]?.string ?? "", change: json["change"] ?? .null)))
      return try session.state(content)
    case "create":
      let identity = try session.perform(
        Edit(model: name, change: .create(values: json["values"]?.object ?? [:])))
      return .object([
        "state": try session.state(content), "id": .string(String(identity ?? 0)),
      ])
    case "sample":
      try session.addSamples(of: name, count: count)
      return try session.state(content)
    case "delete":
      _ = try session.perform(
        Edit(model: name, target: .row(try identity()), change: .delete))
      return try session.state(content)
    case "undo":
      try session.undo()
      return try session.state(content)
    case "revert":
      session.revert()
      return try session.state(content)
    case "save":
      try session.save()
      return try session.state(content)
    default: throw BrowseError("There is no such question.")
    }
  }

  private func conditioned(_ content: any PageContent) throws -> BrowsedContent {
    guard let content = content as? BrowsedContent else {
      throw BrowseError("A database that Strata did not write takes no condition.")
    }
    return content
  }

  private func complete(_ json: JSON, _ content: BrowsedContent, _ model: Model) throws -> JSON {
    let found = Completion(schema: content.schema, model: model)
      .proposals(before: json["text"]?.string ?? "")
    return .object([
      "replaced": .int(Int64(found.replaced)),
      "proposals": .array(
        found.proposals.map {
          .object(["text": .string($0.text), "detail": .string($0.detail)])
        }),
    ])
  }

  private func rowQuery(_ json: JSON) throws -> RowQuery {
    var query = RowQuery(model: json["model"]?.string ?? "")
    query.filter = json["filter"]?.string ?? ""
    for key in json["sort"]?.array ?? [] {
      guard let path = key["path"]?.string else { continue }
      query.sort.append(SortKey(path, ascending: key["ascending"]?.bool ?? true))
    }
    if let linked = json["linked"], let property = linked["property"]?.string,
      let target = linked["model"]?.string,
      let identity = linked["id"]?.string.flatMap({ Int64($0) })
    {
      query.linked = .init(property: property, target: target, identity: identity)
    }
    return query
  }
}
