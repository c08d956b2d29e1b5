import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The way from a configuration to an open connection on a file of the right shape.
struct Opening {
  struct Result {
    let database: Database
    let definition: SchemaDefinition
    let path: String
    let isWriteAheadLogged: Bool
    var standing: Standing
  }

  /// Where a connection stood before it looked at what the file is: what others commit after that, an upgrade among it, the store notices.
  struct Standing {
    let dataVersion: Int64
    let tablesVersion: Int64

    init(of database: Database) throws {
      dataVersion = try database.dataVersion()
      tablesVersion = try database.tablesVersion()
    }

    func isOver(of database: Database) -> Bool { (try? database.dataVersion()) != dataVersion }

    /// Where it stands after a change of its own, unless others have committed since.
    func moved(by database: Database) throws -> Standing {
      let now = try Standing(of: database)
      return now.dataVersion == dataVersion ? now : self
    }
  }

  /// How often a file is looked at anew that others create or upgrade at this moment.
  static let maximumLooks = 10
  /// Between two tries to create what others create.
  static let pauseInMilliseconds = 10

  let configuration: Store.Configuration
  let path: String

  init(_ configuration: Store.Configuration) {
    self.configuration = configuration
    path =
      configuration.inMemoryIdentifier == nil ? configuration.fileURL?.path ?? "" : ":memory:"
  }

  func open() throws -> Result {
    try configuration.checkURLs()
    if configuration.inMemoryIdentifier == nil { _ = try configuration.pageVFS() }
    if configuration.migrations != nil && configuration.migrationBlock != nil {
      throw StoreError.twoFormsOfMigration
    }
    if try isToBeDeleted() {
      // While the file is still there.
      try checkSeed()
      try deleteUnlessUpgraded()
    }
    // What begins anew begins with the seed, too.
    try placeSeed()
    var result = try openOrCreate()
    try compact(result.database)
    result.standing = try result.standing.moved(by: result.database)
    try protect()
    if !configuration.readOnly, configuration.inMemoryIdentifier == nil {
      Recovery(files: POSIXFiles(), vfs: nil).runIfKilled(file: path)
    }
    if let rule = configuration.keepsOldFile, !configuration.readOnly,
      configuration.inMemoryIdentifier == nil
    {
      KeptFiles(path: path, files: POSIXFiles(), vfs: nil).clean(
        rule, on: WallClock.secondsSinceReferenceDate)
    }
    return result
  }

  /// One more connection to a file that is open already.
  ///
  /// - Parameter mayCreate: whether a file is made where none is.
  func connectAgain(mayCreate: Bool = true) throws -> Database {
    let database = try connect(mayCreate: mayCreate)
    if let log = Store.log {
      database.setStatementLog { log($0, .nanoseconds($1), $2) }
    }
    try database.configureForStrata(busyTimeout: configuration.busyTimeout.milliseconds)
    return database
  }

  private func openOrCreate() throws -> Result {
    switch try look(mayUpgrade: true) {
    case .opened(let result): return result
    case .created: throw StoreError.busy(path: path)
    case .older(let upgrade, let version):
      try run(upgrade, from: version)
      guard case .opened(let result) = try look(mayUpgrade: false) else {
        throw StoreError.notAStore(path: path)
      }
      return result
    }
  }

  /// Opens the file as it is.
  func openExisting() throws -> Result {
    guard case .opened(let result) = try look(mayUpgrade: false, mayCreate: false) else {
      throw StoreError.notAStore(path: path)
    }
    return result
  }

  private enum Look {
    case opened(Result)
    /// It has to be upgraded from this version.
    case older(Upgrade, Int)
    /// Another process has created it since the connection was opened, which may not be how that file is to be opened.
    case created
  }

  /// What the file is. What is wrong with one that another process has written meanwhile may be that it was read in two states.
  private func look(mayUpgrade: Bool, mayCreate: Bool = true) throws -> Look {
    for number in 1... {
      let database = try connectAgain(mayCreate: mayCreate)
      if configuration.inMemoryIdentifier == nil {
        KnownFiles.shared.opened(configuration.fileKey(path), try POSIXFiles().status(of: path))
      }
      var standing: Standing?
      do {
        let now = try Standing(of: database)
        standing = now
        let look = try look(database, now, mayUpgrade: mayUpgrade, mayCreate: mayCreate)
        if case .created = look {
          database.close()
          if number >= Self.maximumLooks { throw StoreError.busy(path: path) }
          continue
        }
        guard case .opened(let result) = look else { return look }
        // A file that had no log was not locked yet.
        if try number == Self.maximumLooks || result.database.isInPlace() { return look }
        result.database.close()
      } catch let error as SQLiteError where error.primaryCode == .busy {
        // It has waited for others as long as it may.
        throw error
      } catch
        where number < Self.maximumLooks
        && (isOver(standing, of: database) || Self.isOfVanishedFile(error))
      {
        database.close()
      }
    }
    throw StoreError.notAStore(path: path)
  }

  private func look(
    _ database: Database, _ standing: Standing, mayUpgrade: Bool, mayCreate: Bool
  ) throws -> Look {
    if let metadata = try StrataMetadata.read(from: database) {
      // Without checksums where they are: they came with the file, behind the connection.
      if database.lacksChecksums { return .created }
      guard mayUpgrade, let upgrade = try upgrade(for: metadata) else {
        return .opened(try open(database, metadata, standing))
      }
      database.close()
      return .older(upgrade, metadata.version)
    }
    guard try isEmpty(database) else { throw StoreError.notAStore(path: path) }
    guard mayCreate else {
      throw configuration.inMemoryIdentifier == nil
        ? StoreError.notAStore(path: path) : StoreError.closed
    }
    guard let definition = configuration.schema?.definition else { throw StoreError.noSchema }
    if configuration.readOnly { throw StoreError.notAStore(path: path) }
    return try create(database, definition, standing).map(Look.opened) ?? .created
  }

  private func connect(mayCreate: Bool) throws -> Database {
    if let identifier = configuration.inMemoryIdentifier {
      // SQLite shares a database of the memdb VFS in one process when its name begins with a slash.
      let name = Hex.encode(identifier.utf8)
      return try Database(path: "file:/strata-\(name)?vfs=memdb", mode: .create, isURI: true)
    }
    guard !path.isEmpty else { throw Store.Configuration.namesNoFile }
    let files = POSIXFiles()
    let status = try files.status(of: path)
    switch status?.kind {
    case .folder: throw StoreError.fileAccess(path: path, reason: "it is a directory")
    case .link, .other: throw StoreError.fileAccess(path: path, reason: "it is not a file")
    case nil where configuration.readOnly || !mayCreate:
      throw StoreError.fileAccess(path: path, reason: "No such file or directory")
    case .file, nil: break
    }
    // Another process may have deleted it meanwhile.
    if try status != nil && !files.isAccessible(path, forWriting: false) && files.exists(path) {
      throw StoreError.fileAccess(path: path, reason: "Permission denied")
    }
    if let status { try checkOtherNames(of: place(files), status, files) }
    if try !configuration.readOnly && !isWritable(files) {
      throw StoreError.fileAccess(
        path: path,
        reason: "this user may only read it: open it with readOnly, or change its permissions")
    }
    let vfs = try configuration.pageVFS()
    if try canMakeLog(files) {
      return try openInPlace(vfs, mayCreate: mayCreate)
    }
    // What another process keeps beside the file is used.
    let place = place(files)
    let hasLog = try files.exists(place + "-wal") && files.exists(place + "-shm")
    guard configuration.readOnly else {
      if hasLog { return try openInPlace(vfs, mayCreate: mayCreate) }
      guard try files.exists(FilePaths.folder(of: path)) else {
        throw Self.missing(folder: FilePaths.folder(of: path))
      }
      throw StoreError.fileAccess(
        path: FilePaths.folder(of: path),
        reason: "a store writes its log beside its file, and this user may not write here; "
          + "readOnly opens the file without")
    }
    if hasLog {
      let database = try Database(path: path, mode: .readOnly, vfs: vfs)
      if database.canReadLog { return database }
      database.close()
    }
    return try UntouchedDatabase.open(path, vfs: vfs, files: files).handOver()
  }

  /// Whether this user may make the log and its index, with which a reader follows what other processes write.
  ///
  /// A user who may only read the file makes neither, although the folder may let him: they would be his, and the file's
  /// owner could not write them.
  private func canMakeLog(_ files: POSIXFiles) throws -> Bool {
    try files.isAccessible(FilePaths.folder(of: place(files)), forWriting: true)
      && isWritable(files)
  }

  /// Where the file stands to which a symbolic link may lead.
  private func place(_ files: POSIXFiles) -> String { (try? files.realPath(of: path)) ?? path }

  private func isWritable(_ files: POSIXFiles) throws -> Bool {
    try files.isAccessible(path, forWriting: true) || !files.exists(path)
  }

  /// The upgrade that is needed; nil if the file is current or no migrations are configured.
  private func upgrade(for metadata: StrataMetadata) throws -> Upgrade? {
    guard !configuration.readOnly, let target = try upgradeTarget(for: metadata),
      let schema = configuration.schema?.definition.schema
    else { return nil }
    var options = Upgrade.Options()
    options.target = schema.version
    options.busyTimeout = configuration.busyTimeout.milliseconds
    options.progress = configuration.upgradeProgress
    return Upgrade(
      path: path, target: target, options: options, vfs: try configuration.pageVFS())
  }

  /// Runs it, and keeps the file as it was where the configuration says so and the disk has room.
  private func run(_ upgrade: Upgrade, from version: Int) throws {
    guard let rule = configuration.keepsOldFile else {
      try upgrade.run()
      return
    }
    let (kept, now) = (
      KeptFiles(path: path, files: POSIXFiles(), vfs: nil), WallClock.secondsSinceReferenceDate
    )
    // The room is needed now, and an opening that does not succeed would never do it.
    kept.clean(rule, on: now)
    guard let place = try kept.place(for: version, rule, on: now) else {
      try upgrade.run()
      return
    }
    do {
      let earlier = try kept.all().first { $0.version == version }
      try upgrade.keeping(place, earlier: earlier?.path).run()
    } catch let error as MigrationError where error.kind == .diskFull {
      try upgrade.run()
    }
  }

  private func upgradeTarget(for metadata: StrataMetadata) throws -> UpgradeTarget? {
    guard let definition = configuration.schema?.definition,
      metadata.version <= definition.schema.version
    else { return nil }
    let isOlder = metadata.version < definition.schema.version
    if let migrations = configuration.migrations {
      if isOlder { return try UpgradeTarget(migrations) }
      guard metadata.shape != definition.schema.shape else { return nil }
      // Of a frozen version there is one shape.
      let target = try UpgradeTarget(migrations)
      return target.working?.shape == definition.schema.shape ? target : nil
    }
    guard configuration.inMemoryIdentifier == nil,
      isOlder || metadata.shape != definition.schema.shape
    else { return nil }
    if isOlder {
      guard configuration.isClassic(chain: metadata.chain) else { return nil }
    } else {
      guard metadata.schemaName == definition.schema.name,
        ClassicDifferences(from: try metadata.schema(), to: definition.schema).areAdditive
      else { return nil }
    }
    return UpgradeTarget(classic: definition, block: configuration.migrationBlock)
  }

  /// A file of ours: does it hold what the schema says?
  private func open(
    _ database: Database, _ metadata: StrataMetadata, _ standing: Standing
  ) throws -> Result {
    let definition: SchemaDefinition
    if let given = configuration.schema?.definition {
      definition = given
      let schema = given.schema
      if metadata.version > schema.version {
        throw StoreError.fileIsNewer(
          path: path, version: metadata.version, newest: schema.version)
      }
      if metadata.version != schema.version || metadata.shape != schema.shape,
        try !(configuration.readOnly && differsInIndexesAlone(metadata, schema))
      {
        throw StoreError.needsMigration(
          path: path, from: metadata.version, to: schema.version,
          reason: try reason(metadata, schema))
      }
    } else {
      definition = SchemaDefinition(dynamic: try StoredSchema(metadata: metadata).schema)
    }
    try TableCheck(database: database, schema: definition.schema).run(
      for: configuration.readOnly ? .reading : .writing)
    var standing = standing
    if !configuration.readOnly {
      try adoptRules(of: definition.schema, in: database, metadata)
      try TableLayout(definition.schema).allowFulltext(in: database)
      if turnLogOn(database) { standing = try standingWithLog(database, metadata, standing) }
    }
    return Result(
      database: database, definition: definition, path: path,
      // Where nothing can be written, every version is the same.
      isWriteAheadLogged: try database.pragma("journal_mode") == "wal" || database.isImmutable,
      standing: standing)
  }

  /// A file without a log, as a killed `rekey` or another program leaves it, gets one again, unless others have it open: without it,
  /// readers and writers would keep each other waiting.
  ///
  /// - Returns: whether it was tried.
  private func turnLogOn(_ database: Database) -> Bool {
    guard configuration.inMemoryIdentifier == nil,
      (try? database.pragma("journal_mode").ifText) == "delete"
    else { return false }
    database.setBusyTimeout(milliseconds: 0)
    _ = try? database.setPragma("journal_mode", "WAL")
    database.setBusyTimeout(milliseconds: configuration.busyTimeout.milliseconds)
    return true
  }

  /// Where the connection stands after it has turned the log on, which SQLite counts as a change by others.
  private func standingWithLog(
    _ database: Database, _ metadata: StrataMetadata, _ standing: Standing
  ) throws -> Standing {
    let now = try Standing(of: database)
    // An upgrade that has come meanwhile is still to be noticed.
    guard now.tablesVersion == standing.tablesVersion,
      try StrataMetadata.read(from: database) == metadata
    else { return standing }
    return now
  }

  /// Whether a file can be read though its schema is another one: only indexes differ, and a reader can do without.
  private func differsInIndexesAlone(_ metadata: StrataMetadata, _ schema: Schema) throws -> Bool {
    guard metadata.schemaName == schema.name, metadata.version == schema.version else {
      return false
    }
    return SchemaDiff(from: try StoredSchema(metadata: metadata).schema, to: schema).changes
      .allSatisfy { [.indexAdded, .indexRemoved].contains($0.kind) }
  }

  /// Why a file is not upgraded.
  private func reason(_ metadata: StrataMetadata, _ schema: Schema) throws -> String {
    guard metadata.schemaName == schema.name else {
      return "it holds the schema \(metadata.schemaName), not \(schema.name)"
    }
    guard metadata.version == schema.version else {
      return configuration.readOnly
        ? "it was opened read-only, and is not upgraded" : "the configuration names no migrations"
    }
    let stored = try StoredSchema(metadata: metadata).schema
    let changes = ClassicDifferences(from: stored, to: schema)
    if configuration.readOnly {
      let list = StoredSchema.list(SchemaDiff(from: stored, to: schema).changes)
      return "it was opened read-only, and is not brought to the declarations: \(list)"
    }
    return
      "the version is the same, but the declarations are not. \(changes.text) Raise the version, so that it is upgraded"
  }
}
