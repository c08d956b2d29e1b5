import StrataEvolution
import StrataExpression
import StrataFrontend
package import StrataSource

/// The Swift files of the folder of migrations.
package struct SwiftFiles {
  package let files: [SourceFile]

  package init(_ files: [SourceFile]) { self.files = files }

  /// Those in a folder; none where it is missing.
  package init(folder: String) throws {
    do throws(SourceError) {
      self.init(try SourceFolder.read(folder, extensions: ["swift"]))
    } catch {
      guard error.reason == .missing else { throw error }
      self.init([])
    }
  }

  /// The blocks of each version: `12-Name.swift` and `12.swift`.
  package var byVersion: [Int: [SourceFile]] {
    var result: [Int: [SourceFile]] = [:]
    for file in files {
      if let version = Self.version(of: file) { result[version, default: []].append(file) }
    }
    return result
  }

  /// The number that a file's name begins with.
  package static func version(of file: SourceFile) -> Int? { SwiftFileName.version(of: file.name) }
}
