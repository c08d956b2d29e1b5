import Strata
package import StrataSQLite
import StrataSchema

/// Saves what is readable of a damaged file in a new one: rows around damaged pages, links that still hold.
///
/// The file's own description has to be readable: without it nothing says what the bytes are. The file is not changed.
package struct Salvage {
  /// What became of a model's objects.
  package struct ModelReport: Hashable, Sendable {
    package let model: String
    package internal(set) var saved = 0
    /// Rows that were read and could not be kept, with the reason of each kind.
    package internal(set) var dropped = 0
    /// Values and links that were left out of objects that were kept.
    package internal(set) var cleared = 0
    /// Ranges of identities in which rows cannot be read.
    package internal(set) var unreadable: [ClosedRange<Int64>] = []
  }

  package struct Report: Hashable, Sendable {
    package let version: Int
    package var models: [ModelReport] = []
    /// In sentences, what is not in the new file.
    package var losses: [String] = []
    /// What is wrong in the damaged file. What stands on a damaged page can be read as another page's content: then nothing is missing
    /// in the new file, and something is wrong in it.
    package var problems: [ContentProblem] = []

    package var isComplete: Bool { losses.isEmpty && problems.isEmpty }
  }

  /// Losses of one kind and model that are told one by one.
  static let maximumLosses = 1000

  /// SQLite's instructions between two questions whether to go on.
  private static let instructionsBetweenQuestions = 1000

  let path: String
  let output: String
  let vfs: String?
  let files: any FileOperations
  let isCancelled: @Sendable () -> Bool

  /// - Parameters:
  ///   - vfs: of both files; nil for the process's own.
  ///   - isCancelled: asked again and again whether to stop; then nothing is written.
  package init(
    path: String, output: String, vfs: String? = nil, files: any FileOperations = POSIXFiles(),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.path = path
    self.output = output
    self.vfs = vfs
    self.files = files
    self.isCancelled = isCancelled
  }

  /// - Throws: `MigrationError` where the file's description cannot be read, or the output is there.
  package func run() throws -> Report {
    let vfs = vfs ?? FileCipher.resolve(Database.processDefaultVFS, forFile: path)
    let inspector = FileInspector(files: files, vfs: vfs)
    try inspector.checkFile(path)
    return try FileInspector.translate(output) {
      // Of a file that is there it is said that it is.
      if try files.linkStatus(of: output) == nil {
        try WrittenNames.check(output, "--output", databases: [path], files: files)
      }
      return try NewFile(path: output, files: files).make { draft in
        do {
          return try save(to: draft, inspector, vfs: vfs)
        } catch let failure as WritingFailure {
          throw failure.error
        } catch let error as MigrationError {
          throw Self.withoutAdvice(error)
        }
      }
    }
  }

  /// The same for who has asked for what a damaged file's sentence advises.
  private static func withoutAdvice(_ error: MigrationError) -> MigrationError {
    MigrationError(
      error.kind,
      error.description.replacing(
        SQLiteError.helpForDamage,
        with:
          "Nothing of it can be saved, because what it says of its own tables cannot be read. Restore it from a backup."
      ))
  }

  /// - Parameter draft: the new file, beside its place.
  private func save(to draft: String, _ inspector: FileInspector, vfs: String?) throws -> Report {
    // A user who may not read the damaged file cannot read what was saved of it.
    let permissions = (try files.status(of: path)?.permissions ?? 0o600) | 0o600
    let form = mendedForm
    var way = form == nil ? StraySearch.Way.file : .copyWithoutLog
    for _ in 0..<Self.maximumAttempts {
      try files.removeIfPresent(draft)
      try files.write([], to: draft, permissions: permissions)
      files.keepAccess(of: path, permissions, at: draft)
      let source = try inspector.diagnosed(path) { try open(vfs: vfs, &way, form) }
      defer { source.close() }
      do {
        if var report = try save(source, to: draft, inspector, vfs: vfs, way) {
          if form != nil { report.problems.insert(Self.damagedHeader, at: 0) }
          return report
        }
      } catch is StraySearch.LogIsInTheWay {
        way = .copyWithoutLog
        continue
      } catch let error where isCancelled() || source.isUnchanged {
        throw error
      } catch {
        // What another process writes meanwhile looks like damage.
        continue
      }
    }
    throw MigrationError.isWritten(path)
  }

  /// - Parameter form: what stands in a copy in the place of the header's form.
  private func open(
    vfs: String?, _ way: inout StraySearch.Way, _ form: [UInt8]?
  ) throws -> UntouchedDatabase {
    if way == .copyWithoutLog {
      // What stands in the way of a copy is told with what could not be saved without it.
      let copy = try? UntouchedDatabase.openWithoutLog(
        path, vfs: vfs, files: files,
        mend: {
          guard let form else { return }
          try POSIXFiles().overwrite($0, at: SQLiteHeader.form.lowerBound, with: form)
        }, Self.readDamaged)
      if let copy { return copy }
      way = .none
    }
    return try UntouchedDatabase.open(path, vfs: vfsForEnd(vfs), files: files)
  }

  private var mendedForm: [UInt8]? {
    Database.firstBytes(of: path, count: SQLiteHeader.byteCount)
      .flatMap(SQLiteHeader.mendedForm)
  }

  private static let damagedHeader = ContentProblem(
    check: .sqlite, message: "the header of the file is damaged: no SQLite file has such a form")

  /// SQLite takes what a file lacks of its last page for zeros, in which the end of a value would be one that never was. What reads pages as
  /// a whole finds that they are not there.
  private func vfsForEnd(_ vfs: String?) -> String? {
    guard vfs == nil || vfs == Database.systemVFS,
      let start = Database.firstBytes(of: path, count: SQLiteHeader.byteCount),
      start.starts(with: Database.magic), start.count == SQLiteHeader.byteCount,
      let pageSize = PageSizes.size(start[16], start[17]),
      let place = try? files.realPath(of: path), let size = try? files.size(of: place),
      size % pageSize != 0, !UntouchedDatabase.hasLogOrJournal(place, files)
    else { return vfs }
    return ChecksummedPages.vfs(over: vfs)
  }

  private static func readDamaged(_ database: Database) throws {
    // Of what the file says of itself as much as SQLite can read.
    try database.setPragma("cell_size_check", false)
    // SQLite reads a file that was cut off only where its definitions may be mended.
    try database.set(.defensive, false)
    try database.setPragma("writable_schema", true)
  }

  /// How often a file that others write is read anew.
  private static let maximumAttempts = 5

  /// - Returns: nil where another process has written the file meanwhile.
  private func save(
    _ source: UntouchedDatabase, to draft: String, _ inspector: FileInspector, vfs: String?,
    _ way: StraySearch.Way
  ) throws -> Report? {
    try inspector.diagnosed(path) {
      try Self.readDamaged(source.database)
      let report: Report
      do {
        report = try source.readingOneState {
          try save(reading: source, to: draft, vfs: vfs, way)
        }
      } catch let error as SQLiteError where error.primaryCode == .interrupted {
        throw cancelled
      }
      guard !isCancelled() else { throw cancelled }
      guard source.isUnchanged else { return nil }
      return report
    }
  }

  private func save(
    reading file: UntouchedDatabase, to draft: String, vfs: String?, _ way: StraySearch.Way
  ) throws -> Report {
    let source = file.database
    guard let description = try SalvagedDescription(of: source) else {
      throw MigrationError(
        .foreignFile, "\(path) is a SQLite database that Strata did not write.")
    }
    // Only now: what is interrupted in a description would pass for damage.
    source.setProgressHandler(every: Self.instructionsBetweenQuestions, isCancelled)
    // Before rows are read: where a pointer leads SQLite past them, no error tells.
    let problems = try FileCheck(database: source, schema: description.schema)
      .run(despiteLack: true)
    // Pages that the check has refused are not refused again as long as they are in memory.
    try source.execute("PRAGMA shrink_memory")
    // Damage is told where it is met: what ends the work is an error of the new file.
    let strays = StraySearch(
      file, layout: TableLayout(description.schema), way,
      isSound: !problems.contains { $0.check == .sqlite }, isCancelled: isCancelled)
    var report = try WritingFailure.marked {
      try write(draft, from: source, description, strays, vfs: vfs)
    }
    report.problems = problems
    noteEnd(of: source, &report)
    return report
  }

  private var cancelled: MigrationError {
    MigrationError(
      .cancelled, "Saving what is readable of \(path) was cancelled; nothing was written.")
  }

  private func noteEnd(of source: Database, _ report: inout Report) {
    guard let end = try? FileEnd(of: source, files), end.missing % end.pageSize > 0 else { return }
    report.lose("what stood on the last page, in which the file ends")
  }

  private func write(
    _ draft: String, from source: Database, _ description: SalvagedDescription,
    _ strays: StraySearch, vfs: String?
  ) throws -> Report {
    let schema = description.schema
    let layout = strays.layout
    let target = try Database(path: draft, mode: .create, vfs: vfs)
    defer { target.close() }
    try target.setPragma("page_size", .integer(Database.strataPageSize))
    try target.turnJournalOff()
    try target.setPragma("synchronous", "OFF")
    try target.setPragma("foreign_keys", false)
    var report = Report(version: description.metadata.version, losses: description.losses)
    try target.transaction {
      for statement in StrataMetadata.createStatements() { try target.execute(statement) }
      for model in layout.models {
        for statement in model.statements(.tables) { try target.execute(statement) }
      }
      var models: [String: ModelReport] = [:]
      for model in layout.models {
        let name = model.model.name
        var found = ModelReport(model: name)
        try SalvagedTable(model, source: source, target: target, strays).copy(
          before: description.nextRow, &found, &report)
        models[name] = found
      }
      for model in layout.models {
        for collection in model.collections {
          try SalvagedElements(
            collection, of: model.model.name, source: source, target: target, strays
          ).copy(&report)
        }
      }
      strays.tell(&report)
      func fall(_ model: Model, _ count: Int) throws {
        models[model.name, default: ModelReport(model: model.name)].dropped += count
        try dropElements(of: model, target)
      }
      let damaged = Set(models.values.filter { !$0.unreadable.isEmpty }.map(\.model))
      try SalvagedIdentities(layout: layout, target: target, damaged: damaged).run(&report, fall)
      let collisions = SalvagedCollisions(layout: layout, target: target)
      try collisions.run(&report, fall)
      try dropLinks(schema, target, &models, &report)
      try collisions.dropLinksInAny(&report)
      for part in [TableLayout.Part.indexes, .triggers] {
        for model in layout.models {
          for statement in model.statements(part) { try target.execute(statement) }
        }
      }
      try layout.allowFulltext(in: target)
      for fulltext in layout.models.flatMap(\.fulltexts) {
        try target.execute(fulltext.fillStatement())
      }
      report.models = try layout.models.map { model in
        var found = models[model.model.name] ?? ModelReport(model: model.model.name)
        found.saved = try target.count(of: SQL.identifier(model.model.name))
        return found
      }
      var metadata = description.metadata
      metadata.nextRow = max(metadata.nextRow, try highestRow(schema, target) + 1)
      try metadata.write(to: target)
    }
    try target.setPragma("journal_mode", "WAL")
    return report
  }

  private func highestRow(_ schema: Schema, _ target: Database) throws -> Int64 {
    try schema.storedModels.reduce(0) { highest, model in
      let row = try target.firstValue("SELECT max(_row) FROM \(SQL.identifier(model.name))")
      return max(highest, row?.ifInteger ?? 0)
    }
  }

  /// Takes out links to objects that were not saved, and objects that cannot be without one; until nothing falls any more.
  private func dropLinks(
    _ schema: Schema, _ target: Database, _ models: inout [String: ModelReport],
    _ report: inout Report
  ) throws {
    let owners = SalvagedOwners(schema, target)
    // Each round goes one model further: required links form no circle.
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for model in schema.storedModels {
        for holder in schema.holders(of: model.name) {
          hasChanged = try drop(holder, to: model, target, &models, &report) || hasChanged
        }
      }
      let dropped = try owners.dropOwnerless()
      for (model, count) in dropped {
        hasChanged = true
        models[model.name, default: ModelReport(model: model.name)].dropped += count
        report.lose(
          "\(counted(count, "embedded object")) of \(model.name) without an owner")
        try dropElements(of: model, target)
      }
    }
  }

  private func drop(
    _ holder: LinkHolder, to model: Model, _ target: Database,
    _ models: inout [String: ModelReport], _ report: inout Report
  ) throws -> Bool {
    let (table, column) = (SQL.identifier(holder.table), SQL.identifier(holder.targetColumn))
    let isGone =
      "\(column) IS NOT NULL AND \(column) NOT IN (SELECT _row FROM \(SQL.identifier(model.name)))"
    let count = try target.count(of: "\(table) WHERE \(isGone)")
    guard count > 0 else { return false }
    let owner = holder.model.name
    if holder.property.type.isCollection {
      try target.execute("DELETE FROM \(table) WHERE \(isGone)")
      report.lose(
        "\(counted(count, "link")) in \(owner).\(holder.property.name) to objects of \(model.name) that are lost"
      )
    } else if holder.property.isRequiredColumn {
      try target.execute("DELETE FROM \(table) WHERE \(isGone)")
      models[owner, default: ModelReport(model: owner)].dropped += count
      report.lose(
        "\(counted(count, "object")) of \(owner), whose \(holder.property.name) is required and lost"
      )
      try dropElements(of: holder.model, target)
    } else {
      try target.execute("UPDATE \(table) SET \(column) = NULL WHERE \(isGone)")
      models[owner, default: ModelReport(model: owner)].cleared += count
      report.lose(
        "\(counted(count, "link")) by \(owner).\(holder.property.name) to objects of \(model.name) that are lost"
      )
    }
    return true
  }

  private func dropElements(of model: Model, _ target: Database) throws {
    for property in model.storedProperties where property.type.isCollection {
      let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
      try target.execute(
        "DELETE FROM \(table) WHERE _owner NOT IN (SELECT _row FROM \(SQL.identifier(model.name)))")
    }
  }
}

extension Salvage.Report {
  mutating func lose(_ sentence: String) { losses.append(sentence) }
}

/// Losses of one kind: the first ones are told one by one, and how many more there are, so that they hide no other kind.
struct CountedLosses {
  private let maximum: Int
  private var sentences: [String] = []
  private(set) var count = 0

  init(maximum: Int = Salvage.maximumLosses) { self.maximum = maximum }

  mutating func lose(_ sentence: @autoclosure () -> String) {
    count += 1
    if count <= maximum { sentences.append(sentence()) }
  }

  /// Tells them.
  ///
  /// - Parameters:
  ///   - noun: of one that is not told by itself: `value`.
  ///   - rest: what is said of those: `of objects of Person that cannot be read`.
  func tell(_ noun: String, _ rest: String, _ report: inout Salvage.Report) {
    for sentence in sentences { report.lose(sentence) }
    let more = count - sentences.count
    if more > 0 { report.lose("\(counted(more, "more \(noun)")) \(rest)") }
  }
}
