import Foundation
import RealmFixtures
import Testing

/// The small file that docs/tutorials/from-realm.md has for readers who have none at hand.
@Suite struct TutorialFileTests {
  private static func notes() -> RealmFixture {
    RealmFixture(
      classes: [
        FixtureClass(
          name: "Folder",
          columns: [
            .init(name: "name", type: 2, attributes: 1) { writer, _ in
              writer.texts(Self.texts("Garden", "House"))
            }
          ], count: 2, primaryKey: 0),
        FixtureClass(
          name: "Note",
          columns: [
            .init(name: "id", type: 0, attributes: 1) { writer, _ in writer.integers([1, 2, 3]) },
            .init(name: "title", type: 2) { writer, _ in
              writer.texts(Self.texts("Roses", "Roof", "Apples"))
            },
            .init(name: "text", type: 2, attributes: FixtureFiles.nullable) { writer, _ in
              writer.texts(Self.texts("Cut in March", nil, "Two trees"))
            },
            .init(name: "isDone", type: 1) { writer, _ in writer.integers([1, 0, 0]) },
            .init(name: "changed", type: 8) { writer, _ in
              writer.dates([(1_710_000_000, 0), (1_720_000_000, 0), (1_730_000_000, 0)])
            },
            .init(name: "folder", type: 12, attributes: FixtureFiles.nullable, target: 0) {
              writer, _ in writer.integers([1, 2, 1])
            },
            .init(name: "tags", type: 2, attributes: FixtureFiles.list) { writer, _ in
              let lists = [
                writer.texts(Self.texts("spring", "tools")), 0, writer.texts(Self.texts("autumn")),
              ]
              return writer.refs(lists)
            },
          ], count: 3, primaryKey: 0),
      ], schemaVersion: 3)
  }

  private static func texts(_ values: String?...) -> [[UInt8]?] {
    values.map { $0.map { Array($0.utf8) } }
  }

  @Test("The tutorial's file is that of this fixture")
  func isWrittenHere() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "docs/tutorials/from-realm.md"), encoding: .utf8)
    let block = page.firstMatch(of: #/<< END\n([A-Za-z0-9+\/=\n]+)END\n/#)
    let text = try #require(block).1.replacing("\n", with: "")
    let bytes = Data(Self.notes().file)
    #expect(
      Data(base64Encoded: String(text)) == bytes, "it should be \(bytes.base64EncodedString())")
  }
}
