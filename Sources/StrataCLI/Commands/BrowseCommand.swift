import ArgumentParser
import Strata
import StrataBrowse
import StrataFiles
import StrataSQLite
import StrataSchema

struct BrowseCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Serves a page on this machine to look through a database and edit it.",
    discussion: """
      Prints the page's address, which holds a random token, and serves it on 127.0.0.1 until Ctrl-C. Edits are one \
      transaction, which is undone step by step or saved as a whole. A file of another version than the history's newest is shown \
      read-only, with the plan of its upgrade and, on request, the upgraded content of a copy beside it. Realm files are shown \
      read-only, as a copy that is removed at the end; Core Data stores and other SQLite databases table by table.
      """)

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @Option(help: ArgumentHelp("The port to take; a free one otherwise.", valueName: "port"))
  var port: UInt16 = 0
  @Flag(help: "Let nothing be changed.") var readOnly = false
  @Flag(help: "Print one JSON object with the address.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    let copy = TemporaryCopy()
    defer { copy.remove() }
    if let realm = try RealmCopy(file, key: key) { return try serve(realm, copy) }
    // An app's database is looked at without its history, too.
    let target = try folders.optionalUpgradeTarget()
    let inspection = try FileInspector().inspect(file, target: target)
    let isForeign =
      inspection.status == .foreign && [.sqlite, .coredata].contains(inspection.kind)
    // Without a schema, as of a later layout, there is nothing to show.
    if inspection.schemaName == nil && !isForeign || inspection.status == .damaged,
      let problem = inspection.problem
    {
      throw problem
    }
    var options = BrowseSession.Options()
    options.name = file.nameOfPath
    options.readOnlyReason = reason(inspection)
    if inspection.status == .upgradable, let target {
      let file = file
      options.plan = { try UpgradePlan.make(path: file, target: target, options: .init()).text }
      options.upgradedCopy = {
        try copy.make { folder in
          let output = folder.path + "/upgraded.db"
          var options = Upgrade.Options()
          options.output = output
          try Upgrade(path: file, target: target, options: options).run()
          return output
        }
      }
    }
    if isForeign {
      let tables = try TablesContent(Database(path: file, mode: .readOnly))
      try serve(BrowseSession(tables, options: options), options)
    } else {
      try serve(store(file, isReadOnly: options.readOnlyReason != nil), options)
    }
  }

  private func store(_ path: String, isReadOnly: Bool) throws -> Store {
    var configuration = Store.Configuration(path: path)
    configuration.readOnly = isReadOnly
    // The store's own sentence names an option of its configuration.
    let files = POSIXFiles()
    if !isReadOnly, files.isAccessible(path, forWriting: false),
      !files.isAccessible(path, forWriting: true)
    {
      throw StoreError.fileAccess(
        path: path,
        reason: "this user may only read it: add --read-only, or change its permissions")
    }
    return try Store(configuration: configuration)
  }

  private func serve(_ store: Store, _ options: BrowseSession.Options) throws {
    try serve(BrowseSession(store, options: options), options)
  }

  /// Shows the objects of a Realm file as they are now.
  private func serve(_ realm: RealmCopy, _ copy: TemporaryCopy) throws {
    var leftOut = 0
    let database = try copy.make { folder in
      let (path, data) = try realm.bring(into: folder, isChecked: false)
      leftOut = data.leftOut
      return path
    }
    var options = BrowseSession.Options()
    options.name = file.nameOfPath
    options.readOnlyReason =
      "A Realm file (format \(realm.format)): its objects as they were when it was opened, read-only."
    if leftOut > 0 {
      options.readOnlyReason? +=
        " \(grouped(leftOut)) values have no form here and are not shown; 'strata adopt realm' lists them."
    }
    try serve(store(database, isReadOnly: true), options)
  }

  private func serve(_ session: BrowseSession, _ options: BrowseSession.Options) throws {
    let token = AccessGuard.makeToken()
    var handler: BrowseHandler?
    let server: HTTPServer
    do {
      server = try HTTPServer(port: port) { request in
        guard let handler else { return .text(404, "There is nothing here yet.") }
        return handler.answer(request)
      }
    } catch let error as HTTPServer.Failure {
      throw CommandFailure("\(error).")
    }
    handler = BrowseHandler(session, access: AccessGuard(token: token, port: server.port))
    let address = "http://127.0.0.1:\(server.port)/\(token)/"
    // Before a program that reads the address can send a signal: it ends the command in order.
    Interruption.watch()
    if json {
      let answer: JSON = .object([
        "format": "strata.browse/1", "file": .string(file), "address": .string(address),
        "port": .int(Int64(server.port)), "readOnly": .bool(options.readOnlyReason != nil),
      ])
      // One line, because the object is read while the command goes on.
      let line = PathArgument.asGiven(answer).canonicalText
      Terminal.write(line + "\n", to: Terminal.results)
    } else {
      Terminal.print(address)
      Terminal.note("serving \(file) to this machine alone; Ctrl-C ends it")
    }
    Terminal.flush()
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

/// A database in a temporary folder of this user, which is removed at the end, also after Ctrl-C.
private final class TemporaryCopy {
  private var folder: TemporaryFolder?

  /// - Parameter body: makes the database, and gives its path.
  func make(_ body: (TemporaryFolder) throws -> String) throws -> String {
    let folder = try TemporaryFolder()
    self.folder = folder
    return try body(folder)
  }

  func remove() {
    folder?.remove()
  }
}
