package import Strata
package import StrataSQLite

extension FileInspector {
  /// Reads a SQLite file, of this package or of another program, without changing anything beside it or in it.
  ///
  /// - Parameter body: given a connection, and what another connection attaches to read the same state of the file.
  /// - Throws: `MigrationError` for what is no SQLite file, and where another process has written it meanwhile; what `body` throws.
  package func reading<Result>(
    _ path: String, _ body: (Database, _ attachment: String) throws -> Result
  ) throws -> Result {
    let file = try FileReading(path, self)
    defer { file.close() }
    return try file.reading(body)
  }
}

/// A SQLite file that is read several times in one state of it: what another process writes in between is kept out, not seen, or an
/// error.
package final class FileReading {
  private let path: String
  private let inspector: FileInspector
  private let untouched: UntouchedDatabase

  /// Opens a file, whose state stays until `close`.
  ///
  /// - Throws: `MigrationError` for what is no SQLite file, or is written by another process for long.
  package init(_ path: String, _ inspector: FileInspector) throws {
    self.path = path
    self.inspector = inspector
    try inspector.checkFile(path)
    untouched = try inspector.openUntouched(path, isForSeveral: true)
  }

  /// Reads the file, each time through the same connection.
  ///
  /// - Parameter body: given a connection, and what another connection attaches to read the same state of the file.
  /// - Throws: `MigrationError` where another process has written the file since it was opened; what `body` throws.
  package func reading<Result>(
    _ body: (Database, _ attachment: String) throws -> Result
  ) throws -> Result {
    let result = Swift.Result {
      try inspector.diagnosed(path) {
        try inspector.checkIsWhole(untouched.database, path)
        return try body(untouched.database, untouched.attachment)
      }
    }
    guard untouched.isUnchanged else { throw MigrationError.isWritten(path) }
    return try result.get()
  }

  package func close() { untouched.close() }
}
