import CFaultVFS
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import Strata

/// The anomaly loop: the n-th call fails, the file is whole, n + 1, until the upgrade succeeds.
@Suite struct FaultTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  enum Fault: CaseIterable {
    /// Nothing more happens after the n-th call: what a killed process leaves.
    case killed
    case inputOutput
    case diskFull
    case shortWrite
  }

  enum History: CaseIterable {
    /// Rows of every version, written aside: statements, blocks and steps that look further.
    case people
    /// Names, properties, an index and models that are changed in the file itself.
    case inPlace
    /// A migration block that looks at each object by itself.
    case classic
    /// A migration block that looks further, so that there is a draft.
    case classicDraft

    var target: UpgradeTarget {
      switch self {
      case .people: PeopleHistory.target
      case .inPlace: InPlaceTests.everything
      case .classic: PeopleHistory.classic { _ in }
      case .classicDraft: PeopleHistory.classic { $0.create("Pet", value: ["name": "Rex"]) }
      }
    }

    /// What knows the file before the upgrade.
    var source: UpgradeTarget { self == .inPlace ? target : PeopleHistory.target }
    var newest: Int { self == .inPlace ? 1 : 5 }
  }

  @Test(arguments: Fault.allCases, History.allCases)
  func whateverFailsTheFileIsTheOldOneOrTheNewOne(fault: Fault, history: History) throws {
    let target = history.target
    let newest = history.newest
    let original = try bench.sample("original.db", version: 0, of: history.source, objects: 40)
    let old = try digest(original, target)
    let upgraded = try bench.sample("upgraded.db", version: 0, of: history.source, objects: 40)
    try upgrade(upgraded, target)
    let new = try digest(upgraded, target)
    let vfs = FaultVFS()

    var call = 1
    var succeeded = false
    while !succeeded {
      // Far more than an upgrade of this size makes: the loop must come to an end.
      try #require(call < 5000)
      var file = bench.path("file-\(call).db")
      try POSIXFiles().copy(original, to: file, permissions: 0o600)
      vfs.arm(at: call, fault)
      succeeded = runs(file, target, vfs: vfs, fault)
      // What stands on the disk, seen without the locks that this process, which lives on, may still hold.
      if fault == .killed { file = try bench.copyWithNeighbours(of: file, to: "after-\(call).db") }

      let inspection = try FileInspector().inspect(file, target: target, digest: true)
      let isOld = inspection.version == 0 && inspection.dataDigest == old
      let isNew = inspection.version == newest && inspection.dataDigest == new
      #expect(
        isOld || isNew,
        "\(fault) at call \(call): \(inspection.problem?.description ?? "version \(inspection.version ?? -1)")"
      )
      #expect(!succeeded || isNew)

      // The next run goes on as if nothing had been.
      try upgrade(file, target)
      #expect(try digest(file, target) == new)
      let left = try AsideFile.leftovers(of: file, files: POSIXFiles())
      #expect(left.isEmpty, "\(fault) at call \(call) left files behind")
      call += fault == .killed ? 1 : 3
    }
    #expect(call > 20)
  }

  /// Whether the upgrade succeeded, with calls to files failing from the same moment on as those of SQLite.
  private func runs(
    _ file: String, _ target: UpgradeTarget, vfs: FaultVFS, _ fault: Fault
  ) -> Bool {
    do {
      let files: any FileOperations =
        fault == .killed ? MortalFiles(isDead: { vfs.hasStruck }) : POSIXFiles()
      try Upgrade(path: file, target: target, files: files, vfs: vfs.name).run()
      return !vfs.hasStruck || fault != .killed
    } catch {
      return false
    }
  }
}

/// A VFS of a test's own.
final class FaultVFS {
  private static let number = Atomic<Int>(0)

  let name: String
  private let vfs: OpaquePointer?
  private var at = 0

  init() {
    name = "fault-\(Self.number.add(1, ordering: .relaxed).newValue)"
    vfs = fault_vfs_create(name)
  }

  func arm(at call: Int, _ fault: FaultTests.Fault) {
    at = call
    let kind =
      switch fault {
      case .killed, .inputOutput: FAULT_IO_ERROR
      case .diskFull: FAULT_DISK_FULL
      case .shortWrite: FAULT_SHORT_WRITE
      }
    let calls =
      switch fault {
      case .killed, .inputOutput: FAULT_ALL
      case .diskFull: FAULT_WRITE | FAULT_SYNC
      case .shortWrite: FAULT_WRITE
      }
    fault_vfs_arm(vfs, call, Int32(calls), Int32(kind), fault == .killed ? 1 : 0)
  }

  var hasStruck: Bool { fault_vfs_count(vfs) >= at }
}

/// The system's file operations until the process is "dead"; from then on nothing happens to any file.
struct MortalFiles: FileOperations, @unchecked Sendable {
  // One test's thread uses it.
  let isDead: () -> Bool
  private let system = POSIXFiles()

  /// What a disk has left; nil for the real one.
  let free: Int?

  init(free: Int? = nil, isDead: @escaping () -> Bool = { false }) {
    self.free = free
    self.isDead = isDead
  }

  private func live(_ operation: String, _ path: String) throws(FileError) {
    if isDead() { throw FileError(operation: operation, path: path, number: 5) }
  }

  func status(of path: String) throws(FileError) -> FileStatus? { try system.status(of: path) }
  func linkStatus(of path: String) throws(FileError) -> FileStatus? {
    try system.linkStatus(of: path)
  }
  func realPath(of path: String) throws(FileError) -> String { try system.realPath(of: path) }
  func readLink(_ path: String) throws(FileError) -> String { try system.readLink(path) }
  func contents(ofFolder path: String) throws(FileError) -> [String] {
    try system.contents(ofFolder: path)
  }
  func read(_ path: String, from offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try system.read(path, from: offset, count: count)
  }
  func write(_ bytes: [UInt8], to path: String, permissions: UInt32) throws(FileError) {
    try live("write", path)
    try system.write(bytes, to: path, permissions: permissions)
  }
  func copy(_ path: String, to target: String, permissions: UInt32) throws(FileError) {
    try live("copy", path)
    try system.copy(path, to: target, permissions: permissions)
  }
  func createFolder(_ path: String, permissions: UInt32) throws(FileError) {
    try live("mkdir", path)
    try system.createFolder(path, permissions: permissions)
  }
  func removeFolder(_ path: String) throws(FileError) {
    try live("rmdir", path)
    try system.removeFolder(path)
  }
  func rename(_ path: String, to target: String) throws(FileError) {
    try live("rename", path)
    try system.rename(path, to: target)
  }
  func remove(_ path: String) throws(FileError) {
    try live("unlink", path)
    try system.remove(path)
  }
  func setPermissions(_ permissions: UInt32, of path: String) throws(FileError) {
    try live("chmod", path)
    try system.setPermissions(permissions, of: path)
  }
  func setOwner(user: UInt32, group: UInt32, of path: String) throws(FileError) {
    try live("chown", path)
    try system.setOwner(user: user, group: group, of: path)
  }
  func synchronize(_ path: String) throws(FileError) {
    try live("fsync", path)
    try system.synchronize(path)
  }
  func freeSpace(at path: String) throws(FileError) -> Int {
    if let free { return free }
    return try system.freeSpace(at: path)
  }
  func isAccessible(_ path: String, forWriting: Bool) -> Bool {
    system.isAccessible(path, forWriting: forWriting)
  }
}
