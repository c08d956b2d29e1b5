import Foundation
import Testing

/// A component is named where it is meant: the caller, an observer, another connection. The words that stand for no one in
/// particular make a reader guess.
@Suite struct WordTests {
  static let words = ["some", "no", "any"].map { $0 + "body" } + ["who" + "ever"]

  @Test(arguments: ["Sources", "docs"])
  func componentsAreNamed(folder: String) throws {
    let root = LayeringTests.root.appendingPathComponent(folder)
    let files =
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }.filter { ["swift", "md"].contains($0.pathExtension) } ?? []
    #expect(files.count > 20)
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8).lowercased()
      for word in Self.words where text.contains(word) {
        Issue.record("\(file.lastPathComponent) says '\(word)'")
      }
    }
  }
}
