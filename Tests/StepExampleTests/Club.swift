import ClubMigrations
import Foundation
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

@testable import Strata
@testable import StrataTesting

/// A club's file, written with version 0.
final class Club {
  private let folder: URL
  let path: String
  let target: UpgradeTarget

  /// - Parameter objects: JSON lines of version 0, such as `strata import` takes.
  init(_ objects: String) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-club-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("club.db").path
    target = try UpgradeTarget(ClubMigrations.self)
    guard let first = target.history.version(0) else { throw CocoaError(.fileNoSuchFile) }
    try SampleDatabase(version: first, of: target.history).create(at: path, objects: 0, seed: 0)
    var lines = objects.split(separator: "\n").map { Array($0.utf8) }[...]
    _ = try ObjectImporter.run(into: path, target: target, model: nil) { lines.popFirst() }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  func upgrade(to version: Int) throws -> Club {
    var options = Upgrade.Options()
    options.target = version
    _ = try Upgrade(path: path, target: target, options: options).run()
    return self
  }

  /// A copy of the file as it is now, beside it.
  func keep(_ name: String) throws {
    try POSIXFiles().copy(
      path, to: folder.appendingPathComponent(name).path, permissions: 0o600)
  }

  /// Takes the file back to the version of a kept one.
  func takeBack(to name: String) throws -> DowngradeReport {
    try Store.downgrade(
      Store.Configuration(path: path, migrations: ClubMigrations.self),
      from: folder.appendingPathComponent(name))
  }

  /// Objects of a model in identity order, each with the properties that are asked for, links as `$id`.
  func objects(_ model: String, _ properties: String...) throws -> [[String]] {
    try objects(model, properties)
  }

  func objects(_ model: String, _ properties: [String]) throws -> [[String]] {
    var found: [[String]] = []
    try ObjectExporter.export(path, target: target, models: [model]) { line in
      let json = try JSON.parse(line)
      found.append(properties.map { Self.text(json[$0]) })
    }
    return found
  }

  private static func text(_ json: JSON?) -> String {
    guard let json, json != .null else { return "nil" }
    if let identity = json["$id"]?.int, json.object?.count == 1 { return "→\(identity)" }
    return json.string ?? json.canonicalText
  }
}

extension Club {
  /// Changes an object of the file as it is: a JSON line with its key.
  func change(_ line: String) throws {
    var lines = [Array(line.utf8)][...]
    _ = try ObjectImporter.run(into: path, target: target, model: nil) { lines.popFirst() }
  }

  /// How many rows a model's table has, also an embedded one's.
  func count(ofRowsIn model: String) throws -> Int {
    let untouched = try FileInspector().openUntouched(path)
    defer { untouched.close() }
    return try untouched.database.firstValue("SELECT count(*) FROM \"\(model)\"")?.ifInteger
      .map { Int($0) } ?? -1
  }
}
