import CFaultVFS
import StrataSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's file operations, of which the n-th fails; with `isFinal` all after it as well, as if the process had been killed.
///
/// Unchecked, because the test sets what happens before the upgrade begins and reads it when it has ended.
final class FaultyFiles: FileOperations, @unchecked Sendable {
  private let operations = Atomic<Int>(0)
  var count: Int { operations.load(ordering: .relaxed) }
  private let at: Int
  private let isFinal: Bool
  /// Whether nothing fails, and `whenStruck` is all that happens.
  private let isHarmless: Bool
  /// Whether SQLite's calls have struck already.
  private let isDead: () -> Bool
  var whenStruck: () -> Void = {}
  var beforeEach: () -> Void = {}
  private let system = POSIXFiles()
  private let opened = Mutex<[String]>([])
  /// What was opened other than by SQLite, to be read.
  var openedPaths: [String] { opened.withLock { $0 } }

  /// What a disk has left; nil for the real one.
  private let free: Int?
  /// What it fails with to make the entries of a folder durable; nil where it does not.
  var folderFailure: Int32?
  /// Where changes are recorded, in one order with SQLite's own.
  var recorder: FaultVFS?

  /// - Parameter at: from 1; 0 lets none fail.
  init(
    free: Int? = nil, at: Int = 0, isFinal: Bool = false, isHarmless: Bool = false,
    isDead: @escaping () -> Bool = { false }
  ) {
    self.free = free
    self.at = at
    self.isFinal = isFinal
    self.isHarmless = isHarmless
    self.isDead = isDead
  }

  var hasStruck: Bool { at > 0 && count >= at }

  private func live(_ operation: String, _ path: String) throws(FileError) {
    beforeEach()
    let call = operations.add(1, ordering: .relaxed).newValue
    if call == at { whenStruck() }
    if isHarmless { return }
    if isDead() || (at > 0 && (isFinal ? call >= at : call == at)) {
      throw FileError(operation: operation, path: path, number: EIO)
    }
  }

  func status(of path: String) throws(FileError) -> FileStatus? {
    try live("stat", path)
    return try system.status(of: path)
  }
  func linkStatus(of path: String) throws(FileError) -> FileStatus? {
    try live("lstat", path)
    return try system.linkStatus(of: path)
  }
  func realPath(of path: String) throws(FileError) -> String {
    try live("realpath", path)
    return try system.realPath(of: path)
  }
  func readLink(_ path: String) throws(FileError) -> String {
    try live("readlink", path)
    return try system.readLink(path)
  }
  func contents(ofFolder path: String) throws(FileError) -> [String] {
    try live("readdir", path)
    return try system.contents(ofFolder: path)
  }
  func read(_ path: String, from offset: Int, count: Int) throws(FileError) -> [UInt8] {
    opened.withLock { $0.append(path) }
    try live("read", path)
    return try system.read(path, from: offset, count: count)
  }
  func write(_ bytes: [UInt8], to path: String, permissions: UInt32) throws(FileError) {
    try live("write", path)
    try system.write(bytes, to: path, permissions: permissions)
    recorder?.note(FAULT_RECORD_REPLACE, path, bytes: bytes)
  }
  func copy(_ path: String, to target: String, permissions: UInt32) throws(FileError) {
    opened.withLock { $0.append(path) }
    try live("copy", path)
    try system.copy(path, to: target, permissions: permissions)
    if let recorder {
      recorder.note(
        FAULT_RECORD_REPLACE, target, bytes: try system.read(target, from: 0, count: .max >> 32))
    }
  }
  func copyDatabase(_ path: String, to target: String, permissions: UInt32) throws(FileError) {
    try live("copy", path)
    try system.copyDatabase(path, to: target, permissions: permissions)
    if let recorder {
      recorder.note(
        FAULT_RECORD_REPLACE, target, bytes: try system.read(target, from: 0, count: .max >> 32))
    }
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
    recorder?.note(FAULT_RECORD_RENAME, path, target)
  }
  func rename(_ path: String, toNew target: String) throws(FileError) {
    try live("rename", path)
    try system.rename(path, toNew: target)
    recorder?.note(FAULT_RECORD_RENAME, path, target)
  }
  func remove(_ path: String) throws(FileError) {
    try live("unlink", path)
    try system.remove(path)
    recorder?.note(FAULT_RECORD_REMOVE, path)
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
    if let folderFailure, try system.status(of: path)?.kind == .folder {
      throw FileError(operation: "fsync", path: path, number: folderFailure)
    }
    try system.synchronize(path)
    recorder?.note(FAULT_RECORD_SYNC_PATH, path)
  }
  func freeSpace(at path: String) throws(FileError) -> Int {
    try live("statvfs", path)
    if let free { return free }
    return try system.freeSpace(at: path)
  }
  func isAccessible(_ path: String, forWriting: Bool) -> Bool {
    system.isAccessible(path, forWriting: forWriting)
  }
}

extension FaultyFiles {
  /// Lets one call fail, among those of SQLite or those beside it, as the kind of failure says.
  static func armed(at call: Int, _ fault: Fault, _ vfs: FaultVFS) -> FaultyFiles {
    let isDeath = fault.isDeath
    guard fault.isBesideSQLite else {
      vfs.arm(at: call, fault)
      return FaultyFiles { isDeath && vfs.hasStruck }
    }
    vfs.arm(at: 0, fault)
    let files = FaultyFiles(at: call, isFinal: isDeath) { false }
    files.whenStruck = { if isDeath { vfs.die() } }
    return files
  }
}
