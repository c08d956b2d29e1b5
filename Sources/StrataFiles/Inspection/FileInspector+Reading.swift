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
    try checkFile(path)
    let untouched = try openUntouched(path, isForSeveral: true)
    defer { untouched.close() }
    let result = Swift.Result {
      try diagnosed(path) {
        try checkIsWhole(untouched.database, path)
        return try body(untouched.database, untouched.attachment)
      }
    }
    guard untouched.isUnchanged else { throw MigrationError.isWritten(path) }
    return try result.get()
  }
}
