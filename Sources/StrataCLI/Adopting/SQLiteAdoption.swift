import Strata
import StrataAdopt
import StrataSQLite
import StrataSchema

/// One run of `strata adopt sqlite`: the tables and rows of a database of another program.
struct SQLiteAdoption: DataAdoption {
  let path: String
  let source: SQLiteSource

  init(path: String, name: String?) throws {
    self.path = path
    source = try FileInspector().reading(path) { database, _ in
      guard
        try database.firstValue("PRAGMA application_id")?.ifInteger != StrataMetadata.applicationID
      else {
        throw CommandFailure("\(path) is a database of this package: there is nothing to adopt.")
      }
      return try SQLiteSource(path: path, database: database, name: name)
    }
  }

  var history: AdoptedHistory { source.history }

  func bring(into folder: String?, of project: AdoptedProject) throws -> AdoptedData {
    guard let folder else {
      var report = TransferReport()
      report.objects = source.counts
      return AdoptedData(database: nil, transfer: report, check: nil)
    }
    let bar = ProgressBar(label: path, isVisible: Terminal.isErrorTerminal)
    defer { bar.finish() }
    let leftOut = LeftOutFile(path: "\(folder)/\(AdoptedData.leftOutName)")
    let objects = Double(max(1, source.counts.values.reduce(0, +)))
    let database = "\(folder)/\(AdoptedData.databaseName(project.history.name))"
    return try FileInspector().reading(path) { original, attachment in
      var report = TransferReport()
      try project.newDatabase(at: database).create(attaching: attachment) { target in
        let transfer = SQLiteTransfer(source, into: target) { line in
          try leftOut.add(line)
        } progress: { model, done in
          bar.update(share: Double(done) / objects, model)
        }
        defer { report = transfer.report }
        return try transfer.run()
      }
      try leftOut.close()
      bar.update(share: 1, "checking")
      let check = try project.compare(
        database, with: try SQLiteProof(source, original).sum(), of: path)
      return AdoptedData(
        database: AdoptedData.databaseName(project.history.name), transfer: report, check: check)
    }
  }
}
