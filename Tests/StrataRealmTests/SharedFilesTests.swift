import Foundation
import RealmFixtures
import StrataSchema
import Testing

@testable import StrataRealm

/// Files that Realm itself wrote stand beside the project and are not a part of it.
@Suite("Realm's own files")
struct SharedFilesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/realm").path

  static let isThere = FileManager.default.fileExists(atPath: folder)

  struct Entry: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var format: Int
    var encrypted: Bool
    var streaming: Bool
    var keyHex: String?
    var tables: [String: Int]

    enum CodingKeys: String, CodingKey {
      case name, format, encrypted, streaming, tables
      case keyHex = "key_hex"
    }

    var testDescription: String { name }

    func open() throws -> RealmFile {
      try RealmFile(
        path: SharedFilesTests.folder + "/" + name, key: keyHex.flatMap { Hex.decode($0.utf8) })
    }
  }

  static let entries: [Entry] =
    isThere
    ? (try? JSONDecoder().decode(
      [Entry].self,
      from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))) ?? [] : []

  @Test(.enabled(if: isThere, "shared/data/realm is not beside the project"))
  func theManifestIsRead() { #expect(Self.entries.count == 20) }

  @Test(
    "Formats, tables and counts are those of the manifest, and every value is read",
    .enabled(if: isThere, "shared/data/realm is not beside the project"), arguments: entries)
  func countsAreRight(_ entry: Entry) throws {
    let file = try entry.open()
    #expect(file.format == entry.format)
    #expect(file.isEncrypted == entry.encrypted)
    #expect(file.isCompacted == entry.streaming)
    let counts = Dictionary(uniqueKeysWithValues: file.tables.map { ($0.name, $0.count) })
    #expect(counts == entry.tables)
    for table in file.tables {
      var objects = 0
      try table.forEachChunk { chunk in
        #expect(chunk.first == objects)
        objects += chunk.count
        for row in 0..<chunk.count {
          #expect(try table.rank(of: chunk.key(of: row)) == chunk.first + row)
          for column in table.columns.indices { _ = try chunk.dumpText(column, row) }
        }
      }
      #expect(objects == table.count)
    }
  }

  @Test(
    "Each cell is the one that Realm's core reads, plain and encrypted",
    .enabled(if: isThere, "shared/data/realm is not beside the project"),
    arguments: ["alltypes-v24.realm", "alltypes-v24-encrypted.realm"])
  func cellsAreRight(_ name: String) throws {
    let file = try #require(Self.entries.first { $0.name == name }).open()
    var expected: [String: String] = [:]
    let dump = try String(
      contentsOfFile: Self.folder + "/alltypes-v24.dump.tsv", encoding: .utf8)
    for line in dump.split(separator: "\n") {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      expected["\(cells[0])\t\(cells[1])\t\(cells[2])"] = RealmValue.canonicalCell(cells[3])
    }
    var differences: [String] = []
    for table in file.tables {
      try table.forEachChunk { chunk in
        for row in 0..<chunk.count {
          for (column, declared) in table.columns.enumerated() {
            let place = "\(table.name)\t\(try chunk.key(of: row))\t\(declared.name)"
            let text = try chunk.dumpText(column, row)
            if expected.removeValue(forKey: place) != text {
              differences.append("\(place)\t\(text)")
            }
          }
        }
      }
    }
    #expect(differences == [])
    #expect(expected.keys.sorted() == [])
  }
}
