import StrataSQLite
import Synchronization

/// What the stores of this process share about the files that they have open or had: which file a path leads to, and which
/// identities were given away in transactions that were cancelled.
final class KnownFiles: Sendable {
  static let shared = KnownFiles()

  private struct Known {
    /// Counts the files that this process has met at the path, one in the place of the other.
    var number = 0
    /// No object gets an identity below it.
    var nextRow: Int64 = 0
    var device: UInt64?
    var inode: UInt64?
  }

  private let files = Mutex<[String: Known]>([:])

  /// A file was made where there was none.
  func created(_ file: String) {
    files.withLock { files in
      var known = files[file] ?? Known()
      known.number += 1
      known.inode = nil
      known.device = nil
      files[file] = known
    }
  }

  /// A file is opened: another one than before, if it was replaced.
  func opened(_ file: String, _ status: FileStatus?) {
    guard let status else { return }
    files.withLock { files in
      var known = files[file] ?? Known()
      if let inode = known.inode, inode != status.inode || known.device != status.device {
        known.number += 1
      }
      known.inode = status.inode
      known.device = status.device
      files[file] = known
    }
  }

  /// Which of the files it is that have stood at the path.
  func number(of file: String) -> Int { files.withLock { $0[file]?.number ?? 0 } }

  func nextRow(of file: String) -> Int64 { files.withLock { $0[file]?.nextRow ?? 0 } }

  func passOver(before row: Int64, of file: String) {
    files.withLock { files in
      files[file, default: Known()].nextRow = max(files[file]?.nextRow ?? 0, row)
    }
  }
}
