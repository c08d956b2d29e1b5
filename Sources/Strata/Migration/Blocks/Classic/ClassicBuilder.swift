import StrataExpression
import StrataSQLite
import StrataSchema

/// Builds the content that a migration block makes of a file.
extension AsideBuilder {
  /// Runs the block, once, and writes what it leaves.
  func build(_ block: MigrationBlock) throws -> Result {
    let transition = try Transition(
      from: versions[0], to: versions[1], block: nil, form: .classic)
    watch.begin(passes: 1, objects: objects)
    let file = try aside(1)
    do {
      begin(pass: 1, file)
      try original.checkIsInPlace()
      try file.attachSource(original.attachment)
      try file.database.begin(.deferred)
      let rowCounter = try beginReading(with: file.database)
      let session = ClassicSession(
        database: file.database, file: passSource(nil), transition: transition,
        counts: counts, rowCounter: rowCounter,
        declaredOrder: target.classic?.declaredOrder ?? [:], watch: watch)
      try session.run(block)
      guard session.isDraft else {
        // Every object was looked at by itself at most, and stands where it belongs.
        let objects = try finish(
          file,
          UpgradePass(
            fused: [FusedTransition(session.transition)],
            target: session.transition.target, functions: route.functions), session)
        try file.commit()
        try file.database.detach("source")
        return try result(file, objects: objects)
      }
      try session.checkDraft()
      try file.commit()
      try file.database.detach("source")
      return try finish(draft: file, session)
    } catch {
      let cause = file.cause(of: error)
      file.remove()
      throw cause
    }
  }

  /// Makes the file of a draft that is complete.
  private func finish(draft: AsideFile, _ session: ClassicSession) throws
    -> Result
  {
    defer { draft.remove() }
    // It holds its file alone until it is closed.
    draft.database.close()
    watch.begin(passes: 2, objects: 2 * objects)
    let file = try aside(2)
    do {
      begin(pass: 2, file)
      try file.attachSource(draft.path)
      try file.database.begin(.deferred)
      let copy = UpgradePass(
        fused: [], target: session.transition.target, functions: route.functions)
      let objects = try finish(file, copy, session)
      try file.commit()
      try file.database.detach("source")
      return try result(file, objects: objects)
    } catch {
      let cause = file.cause(of: error)
      file.remove()
      throw cause
    }
  }

  /// Writes what is not written yet, and checks the whole; how many objects there are.
  private func finish(_ file: AsideFile, _ pass: UpgradePass, _ session: ClassicSession)
    throws -> Int
  {
    // A draft's objects are counted where they stand.
    let readsOriginal = !pass.fused.isEmpty
    try FusedPass(
      database: file.database, pass: pass, functions: route.functions, isFinal: true,
      watch: watch, file: readsOriginal ? passSource(nil) : nil,
      counts: readsOriginal ? counts : nil, written: session.streamed
    ).run()
    for statement in StrataMetadata.createStatements() { try file.database.execute(statement) }
    try FileDescription(
      stored: stored, target: target, version: versions[1], renames: session.renames
    ).write(
      to: file.database, rowCounter: session.workspace.rowCounter, transaction: transaction,
      content: content)
    watch.describe(.verifying)
    return try UpgradeVerification(
      database: file.database, schema: pass.target, form: .classic
    ).run(
      after: pass, known: readsOriginal ? counts : nil)
  }

  private func begin(pass: Int, _ file: AsideFile) {
    watch.begin(
      pass: pass, step: 1, of: 1,
      builtBytes: { [files, path = file.path] in (try? files.size(of: path)) ?? 0 })
    watch.watch(file.database)
  }

  private func aside(_ number: Int) throws -> AsideFile {
    try AsideFile(
      path: AsideFile.path(beside: folderPath, pass: number), of: original.path, vfs: vfs,
      pageSize: try original.pageSize,
      permissions: try permissions(), files: files)
  }
}
