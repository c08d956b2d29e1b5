import Strata
package import StrataSQLite

/// Writes a database anew under another key, another cipher or none, with checksums or without, and puts it into the file's place.
///
/// The new file is built and checked beside the old one and renamed over it: at every moment, and after a kill at any, there is one
/// whole file. Nothing else may have the file open meanwhile, because what it wrote to the old one would be lost.
package struct Rekeying {
  /// How a file is kept.
  package enum Form: String, Hashable, Sendable {
    case plain
    /// Plain pages with a checksum each.
    case checksums
    case aesGCM = "aes-gcm"
    case sqlCipher = "sqlcipher"

    init(_ kind: CipherKind?, hasChecksums: Bool) {
      switch kind {
      case .aesGCM: self = .aesGCM
      case .sqlCipher: self = .sqlCipher
      case nil: self = hasChecksums ? .checksums : .plain
      }
    }
  }

  package struct Report: Hashable, Sendable {
    package let from: Form
    package let to: Form
  }

  private static let busyTimeout = 5000
  /// SQLite's instructions between two questions whether to go on.
  private static let instructionsBetweenQuestions = 1000

  let path: String
  let old: FileCipher?
  let new: FileCipher?
  let checksums: Bool?
  let isCancelled: @Sendable () -> Bool
  let files: any FileOperations

  /// - Parameters:
  ///   - old: what opens the file; nil for a plain one.
  ///   - new: what is to open it; nil for nothing. Without a kind it keeps the file's own, or gets AES-256-GCM.
  ///   - checksums: whether the pages of a plain file get checksums; nil keeps those of a plain file.
  ///   - isCancelled: asked again and again whether to leave the old file.
  package init(
    path: String, from old: FileCipher?, to new: FileCipher?, checksums: Bool? = nil,
    files: any FileOperations = POSIXFiles(),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.path = path
    self.old = old
    self.new = new
    self.checksums = checksums
    self.isCancelled = isCancelled
    self.files = files
  }

  /// - Throws: `MigrationError`; the file holds what it held, though its header may count a change of the journal's mode.
  package func run() throws -> Report {
    var oldKind: CipherKind?
    if old != nil {
      let start = Database.firstBytes(of: path, count: FileCipher.magic.count)
      oldKind = start == FileCipher.magic ? .aesGCM : .sqlCipher
    }
    var newCipher = new
    if let new, new.kind == nil { newCipher?.kind = oldKind ?? .aesGCM }
    let hadChecksums = old == nil && FileCipher.haveChecksums(path)
    let hasChecksums = new == nil && (checksums ?? hadChecksums)
    let oldVFS = try vfs(
      of: old.map { FileCipher(key: $0.key, kind: oldKind) }, hasChecksums: hadChecksums)
    let newVFS = try vfs(of: newCipher, hasChecksums: hasChecksums)
    let inspector = FileInspector(files: files, vfs: oldVFS)
    try inspector.checkFile(path)
    guard files.isAccessible(path, forWriting: true) else {
      throw MigrationError(.readOnly, "\(path) cannot be written: this user may only read it.")
    }
    // Which program another database belongs to, and what that makes of another key, is not known.
    _ = try inspector.looking(at: path) { try inspector.description(in: $0, path: path) }
    try inspector.diagnosed(path) {
      // A link leads to the file that is replaced.
      let place = try files.realPath(of: path)
      try NewFile(path: place, files: files).checkFolder(isMade: false)
      guard
        let lock = try AsideFile.lockNames(
          beside: place, waiting: Self.busyTimeout, files: files)
      else { throw busy }
      defer { lock.release() }
      try AsideFile.removeLeftovers(of: place, holding: lock, files: files)
      try checkNames(of: place)
      try replace(place, oldVFS, newVFS)
    }
    return Report(
      from: Form(oldKind, hasChecksums: hadChecksums),
      to: Form(newCipher?.kind, hasChecksums: hasChecksums))
  }

  private func vfs(of cipher: FileCipher?, hasChecksums: Bool) throws -> String {
    guard let cipher else { return hasChecksums ? ChecksummedPages.vfs() : Database.systemVFS }
    do {
      return try Store.Configuration.vfs(of: cipher, over: nil, path: path)
    } catch {
      throw MigrationError(.keyUnusable, error.description)
    }
  }

  private var busy: MigrationError {
    .busy(
      path,
      "\(path) is in use by another process, and has to be alone while its key is changed. Try again when nothing else has it open."
    )
  }

  private var cancelled: MigrationError {
    MigrationError(.cancelled, "Writing \(path) anew was cancelled; the file holds what it held.")
  }

  /// The other names would go on to name the old file, as it was encrypted or not.
  private func checkNames(of place: String) throws {
    guard let count = try files.status(of: place)?.linkCount, count > 1 else { return }
    throw MigrationError(
      .inputOutput,
      """
      \(path) has \(count) names (hard links), and the others would keep the old content with its old key. Remove them first, or make \
      a copy of the file and change that.
      """)
  }

  private func replace(_ place: String, _ oldVFS: String, _ newVFS: String) throws {
    let source = try Database.inPlace(
      path: FilePaths.uri(place, "mode=rw"), mode: .readWrite, vfs: oldVFS, isURI: true,
      busyTimeout: Self.busyTimeout)
    defer { source.close() }
    let mode = try source.pragma("journal_mode").ifText
    // A file that others still have open keeps its log. Without one, a process that comes too late finds that the file has moved.
    guard try source.setPragma("journal_mode", "DELETE").ifText == "delete" else { throw busy }
    do {
      try hold(source)
      try checkIsInPlace(source)
      try removeLog(of: place)
      let draft = place + AsideFile.suffix + "-rekey"
      defer {
        // SQLite leaves its journal where the disk is full.
        for suffix in ["", "-journal", "-wal", "-shm"] {
          try? files.removeIfPresent(draft + suffix)
        }
      }
      let status = try files.status(of: place)
      try files.write([], to: draft, permissions: status?.permissions ?? 0o600)
      if let status { try keepOwner(of: status, at: draft) }
      source.setProgressHandler(every: Self.instructionsBetweenQuestions, isCancelled)
      defer { source.setProgressHandler(every: 0, nil) }
      do {
        try source.vacuum(into: draft, vfs: newVFS)
      } catch let error as SQLiteError where error.primaryCode == .interrupted {
        throw cancelled
      }
      try check(draft, newVFS, turnsLogOn: mode == "wal")
      guard !isCancelled() else { throw cancelled }
      // A mask of this process has been laid over what it made.
      if let status { try files.setPermissions(status.permissions, of: draft) }
      try files.synchronize(draft)
      try checkIsInPlace(source)
      try files.rename(draft, to: place)
    } catch {
      // What a connection to the old file would make beside the place is the other file's by now.
      if (error as? MigrationError)?.kind != .cancelled { try checkIsInPlace(source) }
      if source.isReplaced { throw error }
      // As it was.
      _ = try? source.setPragma("locking_mode", "NORMAL")
      if mode == "wal" { _ = try? source.setPragma("journal_mode", "WAL") }
      throw error
    }
    do {
      try files.synchronizeFolder(of: place)
    } catch {
      throw uncertain(error)
    }
  }

  /// The new file has taken the place of the old one by then.
  private func uncertain(_ error: FileError) -> MigrationError {
    let done = new == nil ? "was written anew" : "was written anew and has the new key"
    let help = old == nil ? "" : ", and keep the old key until then"
    return MigrationError(
      .inputOutput,
      """
      \(path) \(done). That it stays so after a loss of power is not certain, because its folder could not be written: \(error.reason). \
      Look after the disk\(help).
      """)
  }

  /// Refuses to go on with a file that is at its place no more: the new one would take the place of what stands there now. A program that copies a backup
  /// into the place asks for no lock.
  private func checkIsInPlace(_ source: Database) throws {
    guard source.isReplaced else { return }
    try source.set(.noCheckpointOnClose, true)
    throw MigrationError.replaced(path, done: "written anew")
  }

  /// The new file is that of the same user, and of the same group where that makes a difference: with others' permissions they could not read
  /// it any more, whatever key they have. A new file may have its folder's group.
  private func keepOwner(of old: FileStatus, at draft: String) throws {
    guard let new = try files.status(of: draft), (new.user, new.group) != (old.user, old.group)
    else { return }
    do {
      try files.setOwner(user: old.user, group: old.group, of: draft)
    } catch {
      let (ofGroup, ofOthers) = (old.permissions >> 3 & 7, old.permissions & 7)
      if new.user == old.user, ofGroup & ~ofOthers == 0 { return }
      throw MigrationError(
        .inputOutput,
        """
        \(path) belongs to user \(old.user) and group \(old.group), and this user cannot make a file that does: \(error.reason). \
        \(path) was not changed. Let \(new.user == old.user ? "a member of the group" : "its owner") do it.
        """)
    }
  }

  /// Keeps every other process out until the connection closes.
  private func hold(_ source: Database) throws {
    try source.setPragma("locking_mode", "EXCLUSIVE")
    do {
      try source.begin(.exclusive)
      try source.commit()
    } catch let error as SQLiteError where error.primaryCode == .busy {
      throw busy
    }
  }

  /// SQLite leaves a log that it cannot remove, which would be laid over the new file, and holds values as they were encrypted or not.
  private func removeLog(of place: String) throws {
    for suffix in ["-wal", "-journal"] {
      do {
        try files.removeIfPresent(place + suffix)
      } catch {
        throw MigrationError(
          .inputOutput,
          """
          \(path)\(suffix), which belongs to the old content, cannot be removed: \(error.reason). \(path) was not changed. Let its \
          owner remove it, or open and close the file.
          """)
      }
    }
  }

  /// Reads all of the new file once, so that the old one is only given up for one that opens.
  private func check(_ draft: String, _ vfs: String, turnsLogOn: Bool) throws {
    let database = try Database(path: draft, mode: .readWrite, vfs: vfs)
    defer { database.close() }
    let answer = try database.firstValue("PRAGMA quick_check(1)")?.ifText
    guard answer == "ok" else {
      let problem = answer.flatMap { IntegrityFinding.lines(of: $0).first }
      throw MigrationError(
        .fileDamaged,
        "\(path) is damaged: \(problem ?? "it cannot be read"). \(SQLiteError.helpForDamage) It was not changed."
      )
    }
    if turnsLogOn { try database.setPragma("journal_mode", "WAL") }
  }
}
