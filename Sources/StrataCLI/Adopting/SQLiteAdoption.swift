import Strata
import StrataAdopt
import StrataFiles
import StrataSQLite
import StrataSchema

/// One run of `strata adopt sqlite`: the tables and rows of a database of another program.
struct SQLiteAdoption: DataAdoption {
  let path: String
  let source: SQLiteSource
  private let file: AdoptedFile

  /// - Parameters:
  ///   - folder: the history of the database, as Room or drift exports it; nil reads the database by what it holds.
  ///   - hasKey: whether it is to be encrypted with the key of the database that is written.
  ///   - earlier: the schema of the database that the objects are brought into; nil for a new one.
  ///   - isAgain: whether an earlier run has read the same database. A store of Core Data was no error then.
  init(
    path: String, history folder: String? = nil, name: String?, hasKey: Bool = false,
    as earlier: Schema? = nil, isAgain: Bool = false
  ) throws {
    self.path = path
    file = AdoptedFile(path, hasKey: hasKey)
    let known = try folder.map { try Self.history($0, name: name) }
    source = try file.reading { database, _ in
      database.stopsWhenInterrupted()
      guard
        try database.firstValue("PRAGMA application_id")?.ifInteger != StrataMetadata.applicationID
      else {
        throw CommandFailure("\(path) is a database of this package: there is nothing to adopt.")
      }
      let ofCoreData = try database.firstValue(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')"
      )
      guard isAgain || ofCoreData?.ifInteger != 2 else {
        throw CommandFailure(
          "\(path) is a store of Core Data: \(Tool.name) adopt coredata reads its entities, links and dates."
        )
      }
      if let known {
        return try SQLiteSource.recognised(path: path, database: database, in: known)
      }
      return try SQLiteSource(path: path, database: database, name: name, as: earlier)
    }
  }

  /// Drift's files have its name; Room's are numbers alone.
  private static func history(_ folder: String, name: String?) throws -> AdoptedHistory {
    let names = (try? POSIXFiles().contents(ofFolder: folder)) ?? []
    return names.contains { $0.hasPrefix("drift_schema_v") }
      ? try DriftFolder.read(folder, name: name) : try RoomFolder.read(folder, name: name)
  }

  var history: AdoptedHistory { source.history }

  var version: Int { source.version }

  func mayBe(version number: Int) -> Bool { source.mayBe(version: number) }

  private var recognition: CoreDataSource.Recognition? {
    source.recognition.map {
      CoreDataSource.Recognition(version: $0.version, equal: $0.equal, text: $0.text)
    }
  }

  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData {
    if let folder { return try bring(into: folder, of: project, keeps: true) }
    // SQLite converts the rows itself, into tables of ours. A dry run makes them, too, in a folder that goes with it.
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    return try bring(into: temporary.path, of: project, keeps: false)
  }

  /// - Parameter keeps: whether the database stays: it is held against the file then, and what it cannot hold is written beside it.
  private func bring(
    into folder: String, of project: AdoptedProject, keeps: Bool
  ) throws -> AdoptedData {
    let bar = ProgressBar(label: path, isVisible: Terminal.isErrorTerminal)
    defer { bar.finish() }
    let permissions = try permissions(ofSource: path, isEncrypted: file.isEncrypted)
    let leftOut = LeftOutFile(
      path: keeps ? "\(folder)/\(AdoptedData.leftOutName)" : nil, permissions: permissions)
    let objects = Double(max(1, source.counts.values.reduce(0, +)))
    let name = AdoptedData.databaseName(project.history.name)
    let database = "\(folder)/\(name)"
    defer { file.close() }
    return try file.reading { original, attachment in
      original.stopsWhenInterrupted()
      var report = TransferReport()
      try project.newDatabase(
        at: database, version: project.number(of: self), permissions: permissions
      ).create(
        attaching: file.attachment(attachment), blaming: { SourceDamage.error(path, $0) }
      ) { target in
        target.stopsWhenInterrupted()
        let transfer = SQLiteTransfer(source, into: target) { line in
          try leftOut.add(line)
        } progress: { model, done in
          bar.update(share: Double(done) / objects, model)
        }
        defer { report = transfer.report }
        return try transfer.run()
      }
      try leftOut.close()
      var check: ContentSum?
      if keeps {
        bar.update(share: 1, "checking")
        check = try project.compare(
          database, version: project.number(of: self),
          with: try SQLiteProof(source, original).sum(), of: path,
          SourceDamage.helpForDifference)
      }
      var data = AdoptedData(
        database: keeps ? name : nil, transfer: report, check: check, recognition: recognition)
      data.isSourceEncrypted = file.isEncrypted
      return data
    }
  }
}
