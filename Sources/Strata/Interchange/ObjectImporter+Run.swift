package import StrataSQLite
import StrataSchema

extension ObjectImporter {
  /// SQLite's instructions between two questions whether to stop.
  private static let instructionsBetweenQuestions = 100_000

  /// Stores everything in one transaction, which begins when there is input: others may write until then.
  ///
  /// - Parameters:
  ///   - model: the model of lines that do not say theirs.
  ///   - isCancelled: asked again and again whether to store nothing.
  ///   - note: told where all is stored, but in the file's log alone.
  ///   - awaitInput: returns when there is something to read, or an end. What is wrong with the file is told before.
  ///   - nextLine: gives a line after the other without its line break, nil at the end.
  /// - Throws: `ImportError` for a line, `MigrationError` for the file, `StoreError.ruleBroken` for an object that breaks a rule and is of no line.
  package static func run(
    into path: String, target: UpgradeTarget?, model: String?,
    files: any FileOperations = POSIXFiles(), isCancelled: @escaping () -> Bool = { false },
    note: (String) -> Void = { _ in }, awaitInput: () throws -> Void = {},
    nextLine: () throws -> [UInt8]?
  ) throws -> (created: Int, updated: Int) {
    func check(_ schema: Schema) throws {
      if let model, let reason = schema.reasonAgainstLines(of: model) {
        throw MigrationError(.unknownVersion, "\(path) \(reason).")
      }
    }
    func checkVersion() throws {
      guard let target else { return }
      let stored = try FileInspector(files: files).stored(at: path, for: .writing)
      _ = try target.version(of: stored, path: path)
    }
    try checkVersion()
    try check(try checkWritable(path, files: files).stored.schema)
    do {
      try awaitInput()
    } catch  where isCancelled() {
      throw cancelled(path)
    }
    // Another process may have upgraded the file meanwhile.
    try checkVersion()
    return try transaction(on: path, files: files, note: note) { importer in
      try check(importer.schema)
      let database = importer.store.database
      importer.rows = ImportedRows(database)
      database.setProgressHandler(every: instructionsBetweenQuestions, isCancelled)
      // What is committed is not called cancelled.
      defer { database.setProgressHandler(every: 0, nil) }
      do {
        while !isCancelled(), let line = try nextLine() {
          try importer.add(line, defaultModel: model)
        }
        if !isCancelled() { try importer.finish() }
      } catch let error where !isCancelled() {
        throw error
      } catch {
        // Of the wish to stop, whatever it was that stopped.
      }
      guard !isCancelled() else { throw cancelled(path) }
      return (importer.created, importer.updated)
    }
  }

  private static func cancelled(_ path: String) -> MigrationError {
    MigrationError(.cancelled, "The import into \(path) was cancelled. Nothing was stored.")
  }

  /// What is said where the file's log could not be brought into it.
  static func noteOnLog(of path: String, _ failure: SQLiteError) -> String {
    let reason =
      failure.primaryCode == .full
      ? "the disk is full" : "the file could not be written (\(failure.message))"
    return
      "\(path): \(reason), and what was stored stands in \(path)-wal: it belongs to the file, and has to be copied with it until a command has opened the file when there is room."
  }
}
