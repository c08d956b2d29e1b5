import StrataSQLite
import Synchronization

/// Which file an object is of, for what outlives its store: the path is that of other files, too, once the file was deleted or replaced, and so
/// is the identifier of a store in memory.
struct FileIdentity: Hashable, Sendable {
  /// How the file is known to the stores of this process.
  let key: String
  /// Which of the files it is that this process has met there.
  let number: Int
}

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
  ///
  /// - Parameter status: nil where the file is not at its place yet, or in memory.
  func created(_ file: String, _ status: FileStatus? = nil) {
    files.withLock { files in
      var known = files[file] ?? Known()
      known.number += 1
      known.inode = status?.inode
      known.device = status?.device
      files[file] = known
    }
  }

  /// The file was deleted: what comes to its place is another one, also where the system gives it the number that is free again.
  func deleted(_ file: String) { created(file) }

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
  func identity(of file: String) -> FileIdentity {
    FileIdentity(key: file, number: files.withLock { $0[file]?.number ?? 0 })
  }

  /// Whether what stands at its place is still a file.
  ///
  /// - Parameter status: of what stands there.
  func isStill(_ file: FileIdentity, _ status: FileStatus) -> Bool {
    let known = files.withLock { $0[file.key] } ?? Known()
    guard known.number == file.number, let inode = known.inode else {
      return known.number == file.number
    }
    return inode == status.inode && known.device == status.device
  }

  func nextRow(of file: String) -> Int64 { files.withLock { $0[file]?.nextRow ?? 0 } }

  func passOver(before row: Int64, of file: String) {
    files.withLock { files in
      files[file, default: Known()].nextRow = max(files[file]?.nextRow ?? 0, row)
    }
  }
}

extension Store.Configuration {
  /// How the file is known to the stores of this process, however its path is spelled.
  func fileKey(_ path: String) -> String {
    inMemoryIdentifier.map { "memory:\($0)" } ?? POSIXFiles().place(of: path)
  }
}
