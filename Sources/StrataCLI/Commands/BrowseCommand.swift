import ArgumentParser
import Strata
import StrataBrowse
import StrataSQLite
import StrataSchema

struct BrowseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Serves a page on this machine to look through a database and edit it.",
    discussion: """
      Prints the page's address, which holds a random token, and serves it on 127.0.0.1 until Ctrl-C. Edits are one \
      transaction, which is undone step by step or saved as a whole. A file of another version than the history's newest is shown \
      read-only, with the plan of its upgrade and, on request, the upgraded content of a copy beside it.
      """)

  @Argument(help: "A database file.") var file: String
  @Option(help: ArgumentHelp("The port to take; a free one otherwise.", valueName: "port"))
  var port: UInt16 = 0
  @Flag(help: "Let nothing be changed.") var readOnly = false
  @Flag(help: "Print one JSON object with the address.") var json = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    // An app's database is looked at without its history, too.
    let target = try folders.optionalUpgradeTarget()
    let inspection = try FileInspector().inspect(file, target: target)
    let isForeign =
      inspection.status == .foreign && [.sqlite, .coredata].contains(inspection.kind)
    if inspection.kind != .strata && !isForeign || inspection.status == .damaged,
      let problem = inspection.problem
    {
      throw problem
    }
    let copy = UpgradedCopy(file: file, target: target)
    defer { copy.remove() }
    var options = BrowseSession.Options()
    options.name = file.nameOfPath
    options.readOnlyReason = reason(inspection)
    if inspection.status == .upgradable, let target {
      let file = file
      options.plan = { try UpgradePlan.make(path: file, target: target, options: .init()).text }
      options.upgradedCopy = { try copy.make() }
    }
    let session: BrowseSession
    if isForeign {
      session = BrowseSession(
        try TablesContent(Database(path: file, mode: .readOnly)), options: options)
    } else {
      var configuration = Store.Configuration(path: file)
      configuration.readOnly = options.readOnlyReason != nil
      session = BrowseSession(try Store(configuration: configuration), options: options)
    }
    let token = AccessGuard.makeToken()
    var handler: BrowseHandler?
    let server: HTTPServer
    do {
      server = try HTTPServer(port: port) { request in
        handler?.answer(request) ?? .text(404, "There is nothing here yet.")
      }
    } catch let error as HTTPServer.Failure {
      throw CommandFailure("\(error).")
    }
    handler = BrowseHandler(session, access: AccessGuard(token: token, port: server.port))
    let address = "http://127.0.0.1:\(server.port)/\(token)/"
    if json {
      Terminal.print(
        JSON.object([
          "format": "strata.browse/1", "file": .string(file), "address": .string(address),
          "port": .int(Int64(server.port)), "readOnly": .bool(options.readOnlyReason != nil),
        ]).canonicalText)
    } else {
      Terminal.print(address)
      Terminal.note("serving \(file) to this machine alone; Ctrl-C ends it")
    }
    Terminal.flush()
    Interruption.watch()
    server.run { Interruption.isRequested }
  }

  /// Why nothing can be changed; nil where it can.
  private func reason(_ inspection: FileInspection) -> String? {
    if inspection.kind != .strata {
      return inspection.kind == .coredata
        ? "A Core Data store: its tables are shown read-only."
        : "Strata did not write this database: its tables are shown read-only."
    }
    switch inspection.status {
    case .upgradable:
      return
        "Version \(inspection.version ?? 0) of \(inspection.newestVersion ?? 0): shown read-only until it is upgraded."
    case .newer: return "Written by a newer program: shown read-only."
    case .unknownShape, .foreign, .damaged:
      return inspection.problem.map { "\($0.description) It is shown read-only." }
        ?? "Of another schema: shown read-only."
    case .current: return readOnly ? "Opened with --read-only." : nil
    }
  }
}

/// The upgraded content of a file in a temporary folder of this user, removed at the end.
private final class UpgradedCopy {
  private let file: String
  private let target: UpgradeTarget?
  private var folder: String?

  init(file: String, target: UpgradeTarget?) {
    self.file = file
    self.target = target
  }

  func make() throws -> String {
    guard let target else { throw CommandFailure("There is no history to upgrade \(file) with.") }
    let files = POSIXFiles()
    var generator = SystemRandomNumberGenerator()
    let folder = "\(FilePaths.temporaryFolder)/strata-\(generator.next() as UInt64)"
    try files.createFolder(folder, permissions: 0o700)
    self.folder = folder
    let output = folder + "/upgraded.db"
    var options = Upgrade.Options()
    options.output = output
    try Upgrade(path: file, target: target, options: options).run()
    return output
  }

  func remove() {
    guard let folder else { return }
    let files = POSIXFiles()
    for name in (try? files.contents(ofFolder: folder)) ?? [] {
      try? files.remove(folder + "/" + name)
    }
    try? files.removeFolder(folder)
    self.folder = nil
  }
}
