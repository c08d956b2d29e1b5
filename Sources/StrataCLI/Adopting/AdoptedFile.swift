import Strata
import StrataSQLite

/// A SQLite file that is adopted: read as it is, plain or with the key of the databases that are written.
struct AdoptedFile {
  let path: String
  /// The VFS that reads a plain file where others of the process are encrypted; nil where it is the one of all files.
  private let vfs: String?

  /// - Parameter hasKey: whether the key was given for this file: a plain one is refused then.
  init(_ path: String, hasKey: Bool = false) {
    self.path = path
    vfs =
      !hasKey && Database.processDefaultVFS != nil && Database.isPlain(path)
      ? FileCipher.resolve(Database.systemVFS, forFile: path) : nil
  }

  var isEncrypted: Bool { vfs == nil && Database.processDefaultVFS != nil }

  var inspector: FileInspector { FileInspector(vfs: vfs) }

  /// What another connection attaches, whatever its own files are.
  func attachment(_ uri: String) -> String { vfs.map { "\(uri)&vfs=\($0)" } ?? uri }
}
