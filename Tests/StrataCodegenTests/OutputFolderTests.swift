import Foundation
import StrataCodegen
import Testing

@Suite struct OutputFolderTests {
  @Test func unchangedFilesAreLeftUntouched() throws {
    let base = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: base) }
    let folder = OutputFolder(base.appendingPathComponent("new/deep").path)

    #expect(try folder.write([file("A", "a"), file("B", "b")]).map(\.name) == ["A", "B"])
    let written = try identity(of: folder.path(of: "A"))

    #expect(try folder.write([file("A", "a"), file("B", "changed")]).map(\.name) == ["B"])
    #expect(try identity(of: folder.path(of: "A")) == written)
    #expect(folder.outdated([file("A", "a"), file("C", "c")]).map(\.name) == ["C"])
    #expect(try String(contentsOfFile: folder.path(of: "B"), encoding: .utf8) == "changed")
  }

  @Test func aFolderThatCannotBeCreatedIsNamed() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let error = #expect(throws: OutputError.self) {
      try OutputFolder(file.path + "/inside").write([self.file("A", "a")])
    }
    #expect(error?.path.hasPrefix(file.path) == true)
  }

  private func file(_ name: String, _ text: String) -> GeneratedFile {
    GeneratedFile(name: name, text: text)
  }

  /// The file itself: another one has another number, though its content be the same.
  private func identity(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }
}
