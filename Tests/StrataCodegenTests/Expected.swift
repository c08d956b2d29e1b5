import Foundation
import StrataCodegen
import Testing

/// Generated files as they are expected, in `Tests/Expected`, which other targets compile.
///
/// `scripts/update-expected` writes what the generators give now; git shows what has changed.
enum Expected {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Expected")

  private static var isUpdating: Bool {
    ProcessInfo.processInfo.environment["STRATA_UPDATE_EXPECTED"] == "1"
  }

  static func compare(
    _ files: [GeneratedFile], with name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = folder.appendingPathComponent(name)
    if isUpdating {
      try? FileManager.default.removeItem(at: folder)
      try OutputFolder(folder.path).write(files)
    }
    let expected = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files.map(\.name).sorted() == expected, sourceLocation: sourceLocation)
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file.name), encoding: .utf8)
      #expect(file.text == text, "\(file.name)", sourceLocation: sourceLocation)
    }
  }
}
