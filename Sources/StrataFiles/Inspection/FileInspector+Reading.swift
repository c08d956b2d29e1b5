package import Strata
package import StrataSQLite

extension FileInspector {
  /// Reads a SQLite file, of this package or of another program, without changing anything beside it or in it.
  ///
  /// - Parameter body: given a connection, and what another connection attaches to read the same.
  /// - Throws: `MigrationError` for what is no SQLite file, and what `body` throws.
  package func reading<Result>(
    _ path: String, _ body: (Database, _ attachment: String) throws -> Result
  ) throws -> Result {
    try checkFile(path)
    let untouched = try openUntouched(path)
    defer { untouched.close() }
    return try diagnosed(path) {
      try checkIsWhole(untouched.database, path)
      return try body(untouched.database, untouched.attachment)
    }
  }
}
