import Foundation
import Testing

/// The modules of the systems are named only where they are there: one name without its condition breaks the build of another
/// system, which no test here runs on.
@Suite struct PlatformTests {
  static let systems = ["Glibc", "Musl", "Darwin"]

  @Test(arguments: ["Sources", "Plugins"])
  func systemsStandBehindTheirConditions(folder: String) throws {
    let root = LayeringTests.root.appendingPathComponent(folder)
    let files =
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
    #expect(!files.isEmpty)
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(Self.misplaced(in: text) == [], "\(file.lastPathComponent)")
    }
  }

  @Test func aNameWithoutItsConditionIsFound() {
    let text = """
      #if canImport(Glibc)
        import Glibc
      #elseif canImport(Musl)
        import Musl
      #else
        import Darwin
      #endif
      Glibc.exit(0)
      #if os(Linux)
        let a = 1
      #else
        Darwin.exit(0)
      #endif
      #if canImport(Darwin)
        Glibc.exit(1)
      #endif
      """
    #expect(Self.misplaced(in: text) == ["8: Glibc.exit(0)", "15: Glibc.exit(1)"])
  }

  /// The lines that name a system's module where it may be missing.
  static func misplaced(in text: String) -> [String] {
    // The condition of each branch that is open; an #else belongs to the systems that were not asked for.
    var branches: [String] = []
    var found: [String] = []
    for (number, line) in text.components(separatedBy: "\n").enumerated() {
      let words = line.trimmingCharacters(in: .whitespaces)
      if words.hasPrefix("//") { continue }
      if words.hasPrefix("#if ") {
        branches.append(words)
      } else if words.hasPrefix("#elseif ") || words == "#else" {
        _ = branches.popLast()
        branches.append(words)
      } else if words.hasPrefix("#endif") {
        _ = branches.popLast()
      }
      for system in systems where words.contains("\(system).") || words == "import \(system)" {
        let isThere = branches.contains { branch in
          branch.contains("canImport(\(system))") || (branch == "#else" && system == "Darwin")
        }
        if !isThere { found.append("\(number + 1): \(words)") }
      }
    }
    return found
  }
}
