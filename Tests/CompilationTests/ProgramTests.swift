import Foundation
import Testing

/// Programs that the compiler has to refuse, with an error at the right line, and programs that it has to accept: what may cross
/// threads and actors, and what is typed.
@Suite struct ProgramTests {
  @Test(arguments: Program.all("Accepted")) func isAccepted(_ program: Program) throws {
    #expect(try program.errors() == [])
  }

  /// `// error: words` stands above the line where an error with these words is expected.
  @Test(arguments: Program.all("Refused")) func isRefused(_ program: Program) throws {
    let expected = try #require(try program.expectedError())

    let errors = try program.errors()

    #expect(
      errors.contains { $0.contains(":\(expected.line):") && $0.contains(expected.words) },
      "expected '\(expected.words)' at line \(expected.line), found \(errors)")
  }

  @Test func thereArePrograms() {
    #expect(Program.all("Accepted").count >= 3 && Program.all("Refused").count >= 10)
  }
}

/// A Swift file that is compiled against the modules of this build.
struct Program: CustomTestStringConvertible {
  let file: URL

  var testDescription: String { file.deletingPathExtension().lastPathComponent }

  static func all(_ folder: String) -> [Program] {
    let folder = SwiftCommand.tests.appendingPathComponent("Programs/\(folder)")
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "swift" }
      .sorted { $0.path < $1.path }.map(Program.init)
  }

  func expectedError() throws -> (line: Int, words: String)? {
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      guard let mark = line.range(of: "// error: ") else { continue }
      return (index + 2, String(line[mark.upperBound...]))
    }
    return nil
  }

  /// The lines of the compiler's errors.
  func errors() throws -> [String] {
    let result = try SwiftCommand.compile([file.path])
    let errors = result.output.components(separatedBy: "\n").filter { $0.contains("error:") }
    return result.status != 0 && errors.isEmpty ? [result.output] : errors
  }
}
