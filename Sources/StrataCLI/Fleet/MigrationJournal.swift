import StrataSQLite
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What has become of files, a line of JSON each, so that a second run goes on where the first stopped.
///
/// Lines are only ever added, each by one call and under a lock, so that several shards may share a journal. A
/// line that a killed process has left half written is passed over, and the next one begins on a line of its own.
final class MigrationJournal {
  static let format = "strata.journal/1"
  /// Members stand in the order of their names.
  private static let lineBeginning = #"{"file":"#
  /// A line that is longer was not written by this command.
  static let maximumLine = 1 << 20
  /// Millions of files; a journal that is longer is no journal.
  static let maximumSize = 4 << 30

  let path: String
  private var descriptor: Int32 = -1
  private let files: any FileOperations

  init(path: String, files: any FileOperations = POSIXFiles()) {
    self.path = path
    self.files = files
  }

  /// Where a run keeps it unless `--journal` says: in the current folder, for each shard its own.
  static func defaultPath(shard: Shard?) -> String {
    shard.map { "strata-migrate.\($0.name).journal" } ?? "strata-migrate.journal"
  }

  /// Whether a file is one that a run keeps without `--journal`, of whichever shard: by its name and by how it begins.
  static func isDefault(_ path: String, _ files: any FileOperations = POSIXFiles()) -> Bool {
    guard isDefaultName(FilePaths.name(of: path)),
      (try? files.status(of: path))??.kind == .file,
      let start = try? files.read(path, from: 0, count: lineBeginning.utf8.count)
    else { return false }
    return isBeginning(start)
  }

  private static func isDefaultName(_ name: String) -> Bool {
    let (start, end) = ("strata-migrate", ".journal")
    guard name.hasPrefix(start), name.hasSuffix(end) else { return false }
    let middle = name.dropFirst(start.count).dropLast(end.count)
    let parts = middle.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
    return middle.isEmpty
      || (middle.first == "." && parts.count == 3 && parts[1] == "of"
        && Shard(argument: "\(parts[0])/\(parts[2])") != nil)
  }

  /// What a file is called in every journal, wherever it was named from.
  static func place(of path: String, _ files: any FileOperations = POSIXFiles()) -> String {
    (try? files.realPath(of: path)) ?? path
  }

  // MARK: - Writing

  /// Refuses what `begin` refuses because it is another file, and writes nothing.
  func check() throws {
    guard let status = try files.status(of: path) else { return }
    guard status.kind == .file,
      Self.isBeginning(
        try files.read(path, from: 0, count: Self.lineBeginning.utf8.count))
    else { throw isNone }
  }

  private var isNone: CommandFailure {
    CommandFailure(
      "\(path) is there and is no journal: nothing is written into it. Name another place with --journal."
    )
  }

  /// Takes up the journal that is there or makes it, before any database is touched: it must not be learned only after the first file
  /// that its outcome cannot be kept.
  ///
  /// - Throws: `CommandFailure` where it cannot be written, or is another file, which must not get lines of a journal.
  func begin() throws {
    guard descriptor < 0 else { return }
    // Writing to a pipe without a reader would wait for ever.
    descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode_t(0o644))
    guard descriptor >= 0 else { throw failure("written") }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read") }
    guard status.st_mode & S_IFMT == S_IFREG, try beginsLikeOne() else { throw isNone }
  }

  /// Whether it is empty or begins as every line does; the first line may be half written.
  private func beginsLikeOne() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: Self.lineBeginning.utf8.count)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw failure("read") }
    return Self.isBeginning(Array(bytes[..<count]))
  }

  private static func isBeginning(_ bytes: [UInt8]) -> Bool {
    // Behind a half-written line the next one begins anew.
    lineBeginning.utf8.starts(with: bytes.prefix { $0 != 0x0A })
  }

  /// Adds lines and makes them durable, so that "finished" is not forgotten by a power loss.
  func add(_ outcomes: [(FileMigration, FileOutcome)], goal: FrozenGoal) throws {
    guard !outcomes.isEmpty else { return }
    try begin()
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    defer { flock(descriptor, LOCK_UN) }
    var last: UInt8 = 0x0A
    let size = lseek(descriptor, 0, SEEK_END)
    if size > 0, pread(descriptor, &last, 1, size - 1) != 1 { throw failure("read") }
    var bytes: [UInt8] = last == 0x0A ? [] : [0x0A]
    for (migration, outcome) in outcomes {
      let entry = Entry(outcome, migration, goal: goal, files: files)
      bytes += PathArgument.asGiven(entry.json).canonicalText.utf8
      bytes.append(0x0A)
    }
    errno = 0
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else {
      if count >= 0, errno == 0 { errno = ENOSPC }
      throw failure("written")
    }
    // A file that needed nothing needs nothing the next time either.
    if outcomes.contains(where: { $0.1.status != .current }), fsync(descriptor) != 0 {
      throw failure("made durable")
    }
  }

  func close() {
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    closeDescriptor(descriptor)
    descriptor = -1
  }

  deinit { close() }

  private func failure(_ what: String) -> CommandFailure {
    CommandFailure(
      """
      The journal \(path) cannot be \(what): \(String(cString: strerror(errno))). Name another place \
      with --journal.
      """)
  }

  // MARK: - Reading

  /// The newest entry of each file, by the file's path from the root.
  func entries() throws -> [PathKey: Entry] {
    guard let size = try files.size(of: path) else { return [:] }
    guard size <= Self.maximumSize else {
      throw CommandFailure("The journal \(path) has \(size) bytes, which is no journal.")
    }
    var entries: [PathKey: Entry] = [:]
    var rest: [UInt8] = []
    var offset = 0
    while offset < size {
      let bytes = try files.read(path, from: offset, count: 1 << 20)
      guard !bytes.isEmpty else { break }
      offset += bytes.count
      rest += bytes
      var lines = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      guard rest.count <= Self.maximumLine else {
        throw CommandFailure("The journal \(path) has a line that this command did not write.")
      }
      for line in lines {
        // What no line break ends, or is no JSON, is what a killed process has left.
        guard let json = try? JSON.parse(line), let entry = Entry(json: json) else { continue }
        entries[PathKey(entry.file)] = entry
      }
    }
    return entries
  }
}

/// The version that a run brings files to, as a journal remembers it: a version that was frozen anew is another one.
struct FrozenGoal: Hashable {
  let version: Int
  let digest: String
}

extension MigrationJournal {
  struct Entry: Hashable {
    /// From the root, through no symbolic link.
    let file: String
    let outcome: FileOutcome
    let goal: FrozenGoal
    let stamp: Stamp?
    let output: String?
    let outputStamp: Stamp?

    init(
      _ outcome: FileOutcome, _ migration: FileMigration, goal: FrozenGoal,
      files: any FileOperations
    ) {
      file = MigrationJournal.place(of: migration.file, files)
      self.outcome = outcome
      self.goal = goal
      stamp = outcome.stamp
      // A file that is current is copied there.
      output = outcome.isFailure ? nil : migration.output
      outputStamp = output.flatMap { Stamp(of: $0, files) }
    }

    /// What a later run says of the file.
    func skipped(as path: String) -> FileOutcome {
      var skipped = FileOutcome(file: path, .skipped)
      skipped.from = outcome.from
      skipped.to = outcome.to
      skipped.backup = outcome.backup.map(PathArgument.spelledPlain)
      skipped.output = output
      return skipped
    }

    /// Whether the work is done for good: the same goal was reached, and nothing has changed since.
    func isFinished(
      _ migration: FileMigration, goal: FrozenGoal, files: any FileOperations = POSIXFiles()
    ) -> Bool {
      guard outcome.status == .upgraded || outcome.status == .current, self.goal == goal,
        stamp != nil, stamp == Stamp(of: migration.file, withLog: true, files)
      else { return false }
      return output == migration.output
        && (output == nil || (outputStamp != nil && outputStamp == Stamp(of: output ?? "", files)))
    }
  }

  /// What tells that a file is the one that it was.
  struct Stamp: Hashable {
    let inode: Int64
    let size: Int64
    let modified: Int64
    /// The size and the time of each log with content beside it: what was committed may stand there.
    var logs: [Int64] = []

    init?(
      of path: String, withLog: Bool = false, _ files: any FileOperations = POSIXFiles()
    ) {
      guard let status = (try? files.status(of: path)) ?? nil else { return nil }
      inode = Int64(bitPattern: status.inode)
      size = Int64(status.size)
      modified = status.modified
      guard withLog, let place = try? files.realPath(of: path) else { return }
      for suffix in ["-wal", "-journal"] {
        guard let log = (try? files.status(of: place + suffix)) ?? nil, log.size > 0 else {
          continue
        }
        logs += [Int64(log.size), log.modified]
      }
    }

    init?(json: JSON?) {
      guard let inode = json?["inode"]?.int, let size = json?["size"]?.int,
        let modified = json?["modified"]?.int
      else { return nil }
      self.inode = inode
      self.size = size
      self.modified = modified
      logs = (json?["logs"]?.array ?? []).compactMap(\.int)
    }

    var json: JSON {
      var members: [String: JSON] = [
        "inode": .int(inode), "size": .int(size), "modified": .int(modified),
      ]
      if !logs.isEmpty { members["logs"] = .array(logs.map(JSON.int)) }
      return .object(members)
    }
  }
}

extension MigrationJournal.Entry {
  var json: JSON {
    var members: [String: JSON] = [
      "format": .string(MigrationJournal.format), "file": .string(file),
      "outcome": outcome.withoutNames.json, "goal": .int(Int64(goal.version)),
      "goalDigest": .string(goal.digest), "stamp": stamp?.json ?? .null,
    ]
    if let output { members["output"] = .string(output) }
    if let outputStamp { members["outputStamp"] = outputStamp.json }
    return .object(members)
  }

  init?(json: JSON) {
    guard json["format"]?.string == MigrationJournal.format, let file = json["file"]?.string,
      let outcome = json["outcome"].flatMap(FileOutcome.init(json:)),
      let version = json["goal"]?.int, let digest = json["goalDigest"]?.string
    else { return nil }
    self.file = file
    self.outcome = outcome
    goal = FrozenGoal(version: Int(version), digest: digest)
    stamp = MigrationJournal.Stamp(json: json["stamp"])
    // As the one of this run is spelled, whichever way either was given.
    output = json["output"]?.string.map(PathArgument.spelledPlain)
    outputStamp = MigrationJournal.Stamp(json: json["outputStamp"])
  }
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
