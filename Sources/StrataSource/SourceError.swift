/// Why files could not be read at all. What is wrong *inside* a file is a diagnostic.
package struct SourceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    case missing
    case notAFolder
    /// A folder, a pipe, a socket or a device where a file is expected.
    case notAFile
    /// The operating system's own words.
    case unreadable(String)
    case tooManyFiles(maximum: Int)
    /// The folder holds a name that is not UTF-8.
    case nameNotUTF8
  }

  package let path: String
  package let reason: Reason

  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  package var description: String {
    switch reason {
    case .missing: "there is no '\(path)'"
    case .notAFolder: "'\(path)' is not a folder"
    case .notAFile: "'\(path)' is not a regular file"
    case .unreadable(let cause): "'\(path)' cannot be read: \(cause)"
    case .tooManyFiles(let maximum): "'\(path)' holds more than \(maximum) files"
    case .nameNotUTF8: "'\(path)' holds a file whose name is not UTF-8"
    }
  }
}
