import CFaultVFS
import StrataSQLite
import Synchronization

@testable import Strata

/// How one call fails.
enum Fault: CaseIterable {
  /// Nothing more happens after the n-th call of SQLite: what a killed process leaves.
  case killed
  /// Nothing more happens after the n-th operation on files that is not SQLite's: renaming, removing, making durable.
  case killedBetween
  /// The n-th read, write, sync, truncation, deletion or opening of SQLite fails.
  case inputOutput
  /// The n-th operation on files that is not SQLite's fails.
  case fileOperation
  case diskFull
  case shortWrite
  /// The n-th lock, mapping of a log's index, or question of SQLite for a size or an existence fails.
  case lockOrSize

  /// Whether the process is gone afterwards.
  var isDeath: Bool { self == .killed || self == .killedBetween }
  /// Whether operations are counted that are not SQLite's.
  var isBesideSQLite: Bool { self == .killedBetween || self == .fileOperation }
}

extension Fault {
  /// What an upgrade may call the fault.
  var kinds: Set<MigrationError.Kind> {
    switch self {
    case .diskFull: [.diskFull]
    case .shortWrite: [.inputOutput]
    // A file that cannot be opened, or reached at all.
    case .inputOutput, .fileOperation, .lockOrSize: [.inputOutput, .fileUnreadable]
    case .killed, .killedBetween: []
    }
  }
}

/// A VFS of a test's own.
final class FaultVFS {
  private static let number = Atomic<Int>(0)

  let name: String
  let vfs: OpaquePointer?
  private var at = 0
  /// Calls of the armed kinds since it was armed.
  var count: Int { fault_vfs_count(vfs) }

  init() {
    name = "fault-\(Self.number.add(1, ordering: .relaxed).newValue)"
    vfs = fault_vfs_create(name)
  }

  /// - Parameter call: from 1; 0 lets none fail.
  func arm(at call: Int, _ fault: Fault) {
    at = call
    let kind =
      switch fault {
      case .killed, .inputOutput, .killedBetween, .fileOperation, .lockOrSize: FAULT_IO_ERROR
      case .diskFull: FAULT_DISK_FULL
      case .shortWrite: FAULT_SHORT_WRITE
      }
    let calls =
      switch fault {
      case .killed, .inputOutput, .killedBetween, .fileOperation: FAULT_ALL
      case .diskFull: FAULT_WRITE | FAULT_SYNC
      case .shortWrite: FAULT_WRITE
      case .lockOrSize: FAULT_LOCK | FAULT_SIZE | FAULT_MAP
      }
    fault_vfs_arm(vfs, call, Int32(calls), Int32(kind), fault == .killed ? 1 : 0)
  }

  /// Lets the n-th write fail as for a user whose share of the disk is full.
  func armQuota(at call: Int) {
    at = call
    fault_vfs_arm(vfs, call, Int32(FAULT_WRITE), Int32(FAULT_QUOTA), 0)
  }

  var hasStruck: Bool { at > 0 && count >= at }

  /// How often SQLite has waited for somebody else.
  var sleeps: Int { fault_vfs_sleeps(vfs) }

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private var unlocked: Body?

  /// Runs a closure once, the next time that a connection lets go of the lock under which a log is written.
  func whenUnlocked(_ body: @escaping () -> Void) {
    let body = Body(body)
    unlocked = body
    fault_vfs_when_unlocked(
      vfs,
      { context in
        guard let context else { return }
        Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().run()
      }, Unmanaged.passUnretained(body).toOpaque())
  }

  /// From now on every call fails.
  func die() {
    at = 1
    fault_vfs_arm(vfs, 1, Int32(FAULT_ALL), Int32(FAULT_IO_ERROR), 1)
  }
}
