import Foundation
import RealmFixtures

@testable import StrataRealm

/// Bytes in a file of their own, as long as they are used.
final class ScratchFile {
  let path: String

  init(_ bytes: [UInt8]) throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-realm-\(UUID().uuidString).realm").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension RealmFile {
  /// Every value of the file, by table, object and property, in the words of the dump.
  func allCells() throws -> [String: String] {
    beginReading()
    var result: [String: String] = [:]
    for table in tables {
      try table.forEachChunk { chunk in
        for row in 0..<chunk.count {
          for (column, declared) in table.columns.enumerated() {
            result["\(table.name) \(try chunk.key(of: row)) \(declared.name)"] =
              try chunk.dumpText(column, row)
          }
        }
      }
    }
    return result
  }

  /// One property of all objects in their order.
  func column(_ name: String, of table: String) throws -> [String] {
    guard let table = self.table(named: table),
      let column = table.columns.firstIndex(where: { $0.name == name })
    else { return [] }
    var result: [String] = []
    try table.forEachChunk { chunk in
      for row in 0..<chunk.count { result.append(try chunk.dumpText(column, row)) }
    }
    return result
  }
}
