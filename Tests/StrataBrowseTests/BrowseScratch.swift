import Foundation
import Strata
import StrataHistory
import StrataSchema
import StrataTesting
import Testing

@testable import StrataBrowse

/// An empty database of a schema in a folder of its own, and what answers a page's questions over it.
final class BrowseScratch {
  let folder: URL
  let store: Store
  let session: BrowseSession
  let handler: BrowseHandler

  init(schema: Schema) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-browse-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("scratch.db").path
    let version = FrozenVersion(
      schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: nil)
    try SampleDatabase(version: version, of: History(name: schema.name, versions: [version]))
      .create(at: path, objects: 0, seed: 1)
    store = try Store(configuration: Store.Configuration(path: path))
    session = BrowseSession(store, options: BrowseSession.Options())
    handler = BrowseHandler(session, access: ServerTests.access)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  @discardableResult
  func ask(_ question: [String: JSON], status: Int = 200) throws -> JSON {
    try handler.ask(question, status: status)
  }

  func get(_ target: String) -> (status: Int, headers: [String: String], text: String) {
    handler.get(target)
  }

  /// The content of a property of an object, as a page gets it.
  func cell(_ property: String, of model: String, _ id: JSON) throws -> JSON? {
    try ask(["do": "object", "model": .string(model), "id": id])["fields"]?.array?
      .first { $0["property"]?["name"] == .string(property) }?["cell"]
  }
}

extension BrowseHandler {
  /// The answer to a question of the page.
  @discardableResult
  func ask(_ question: [String: JSON], status: Int = 200) throws -> JSON {
    let response = try #require(answerIfReady(question), "it waits for an export")
    guard case .bytes(let bytes) = response.body else { return .null }
    #expect(response.status == status, "\(String(decoding: bytes, as: UTF8.self))")
    return try JSON.parse(bytes)
  }

  /// Nil where the question waits.
  func answerIfReady(_ question: [String: JSON]) -> HTTPResponse? {
    answer(
      HTTPRequest(
        method: "POST", target: "/abc123/api",
        headers: ServerTests.own.merging(["content-type": "application/json"]) { $1 },
        body: Array(JSON.object(question).canonicalText.utf8)))
  }

  func response(to target: String) -> HTTPResponse {
    answer(HTTPRequest(method: "GET", target: target, headers: ServerTests.headers))
      ?? .text(500, "it waits")
  }

  /// A file, or the page, whole.
  func get(_ target: String) -> (status: Int, headers: [String: String], text: String) {
    let response = response(to: target)
    var bytes: [UInt8] = []
    switch response.body {
    case .bytes(let all): bytes = all
    case .pieces(let next): while let piece = try? next() { bytes += piece }
    }
    return (
      response.status, Dictionary(response.headers.map { ($0.name, $0.value) }) { $1 },
      String(decoding: bytes, as: UTF8.self)
    )
  }
}
