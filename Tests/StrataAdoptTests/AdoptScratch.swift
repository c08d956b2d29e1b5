import Foundation
import StrataSQLite
import Testing

@testable import StrataCLI

/// A folder of a test's own.
final class AdoptScratch {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-adopt-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    return path + "/" + name
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// Adopts a Realm file into the folder `out`.
  @discardableResult
  func adopt(_ file: String, keyFile: String? = nil) throws -> (AdoptedProject, AdoptedData) {
    try adopt(try RealmAdoption(path: file, keyFile: keyFile, name: "App"))
  }

  @discardableResult
  func adopt(_ adoption: some DataAdoption) throws -> (AdoptedProject, AdoptedData) {
    let project = try AdoptedProject(adoption.history, date: "2026-11-22")
    try project.compareWithSource()
    let data = try AdoptedFolder(path: path + "/out").write(project) {
      try adoption.bring(into: $0, of: project)
    }
    return (project, try #require(data))
  }

  func database() throws -> Database {
    try Database(path: path + "/out/App.db", mode: .readOnly)
  }
}
