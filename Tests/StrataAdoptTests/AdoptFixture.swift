import Foundation
import StrataAdopt
import StrataFrontend
import StrataSchema
import StrataSource

@testable import StrataCLI

/// A temporary folder with the files of a history.
final class AdoptFixture {
  let folder: URL

  init(_ files: [String: String]) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-adopt-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      let url = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A Core Data model with these versions: name → entities.
  static func coreData(_ versions: [String: String]) throws -> AdoptFixture {
    try AdoptFixture(
      Dictionary(
        uniqueKeysWithValues: versions.map { name, entities in
          (
            "Shop.xcdatamodeld/\(name).xcdatamodel/contents",
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel">
            \(entities)
            </model>
            """
          )
        }))
  }

  func coreData() throws -> AdoptedHistory {
    try CoreDataFolder.read(path("Shop.xcdatamodeld"), name: nil)
  }
}

extension AdoptedHistory {
  /// What compiling the written versions gives.
  func compiled() throws -> [Schema] {
    let project = try AdoptedProject(self, date: "2026-11-21")
    try project.compareWithSource()
    return project.files.filter { $0.path.hasPrefix("schemas/versions/") }.compactMap { file in
      var diagnostics = Diagnostics()
      return SchemaCompiler.compile(
        [SourceFile(path: file.path, text: file.text)], reporting: &diagnostics)?.schema
    }.sorted { $0.version < $1.version }
  }

  /// The text of a step file.
  func step(_ number: Int) throws -> String? {
    try AdoptedProject(self, date: "2026-11-21").files.first {
      $0.path == "migrations/\(number).yaml"
    }?.text
  }

  func reasons(_ entity: String, _ property: String? = nil) -> [String] {
    entries.filter { $0.note.entity == entity && $0.note.property == property }.map(\.note.reason)
  }
}

extension Schema {
  /// `type`, with what else is said.
  func spelling(_ model: String, _ property: String) -> String? {
    guard let found = self.model(named: model)?.property(named: property) else { return nil }
    var text = found.type.isInverse ? "inverse " + found.type.spelling : found.type.spelling
    if let value = found.defaultValue { text += " default \(value)" }
    if found.deleteRule != .nullify { text += " \(found.deleteRule)" }
    if found.isUnique { text += " unique" }
    if found.index == .ordinary { text += " indexed" }
    if found.index == .fulltext { text += " fulltext" }
    if found.isIgnored { text += " ignored" }
    return text
  }
}
