import Strata
import StrataAdopt
import StrataFiles
import StrataSQLite
import StrataSchema

/// One run of `strata adopt coredata` of a store: the model and the objects of a SQLite store of Core Data or SwiftData.
struct CoreDataAdoption: DataAdoption {
  let path: String
  let source: CoreDataSource
  private let file: AdoptedFile

  /// - Parameter model: the folder of the model's versions; nil for what the store itself says.
  init(path: String, model: String?, name: String?) throws {
    self.path = path
    file = AdoptedFile(path)
    source = try file.reading { database, _ in
      database.stopsWhenInterrupted()
      return try CoreDataSource(path: path, model: model, database: database, name: name)
    }
  }

  /// Whether a path is a file, or what is none and no folder: a model is a folder.
  static func isFile(_ path: String) -> Bool {
    let kind = try? POSIXFiles().status(of: path)?.kind
    return kind == .file || kind == .other
  }

  var history: AdoptedHistory { source.history }
  var version: Int { source.recognition.version }

  func mayBe(version number: Int) -> Bool { source.mayBe(version: number) }

  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData {
    let bar = ProgressBar(label: path, isVisible: Terminal.isErrorTerminal)
    defer { bar.finish() }
    let permissions = try permissions(ofSource: path, isEncrypted: file.isEncrypted)
    let leftOut = LeftOutFile(
      path: folder.map { $0 + "/" + AdoptedData.leftOutName }, permissions: permissions)
    let objects = Double(max(1, source.counts.values.reduce(0, +)))
    let name = AdoptedData.databaseName(project.history.name)
    defer { file.close() }
    return try file.reading { store, _ in
      store.stopsWhenInterrupted()
      let transfer = CoreDataTransfer(source, from: store) { line in
        try leftOut.add(line)
      } progress: { [path] model, done in
        try Interruption.check("Reading \(path)")
        bar.update(share: Double(done) / objects, model)
      }
      if let folder {
        try project.newDatabase(
          at: "\(folder)/\(name)", version: project.number(of: self), permissions: permissions
        ).create(blaming: { SourceDamage.error(path, $0) }) { database in
          database.stopsWhenInterrupted()
          return try transfer.run(into: database)
        }
      } else {
        _ = try transfer.run(into: nil)
      }
      try leftOut.close()
      let check = try folder.map { folder in
        bar.update(share: 1, "checking")
        return try project.compare(
          "\(folder)/\(name)", version: project.number(of: self),
          with: try CoreDataProof(source, store).sum(),
          of: path, SourceDamage.helpForDifference)
      }
      return AdoptedData(
        database: folder == nil ? nil : name, transfer: transfer.report, check: check,
        recognition: source.recognition)
    }
  }
}
