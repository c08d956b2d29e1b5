import Strata
import StrataAdopt
import StrataFiles
import StrataSQLite

/// A SQLite file that is adopted: read as it is, plain or with the key of the databases that are written, and in one state of it. Its
/// tables say which numbers its rows get, so that rows of a later state would have those of others.
final class AdoptedFile {
  let path: String
  /// The VFS that reads a plain file where others of the process are encrypted; nil where it is the one of all files.
  private let vfs: String?
  private var opened: FileReading?

  /// - Parameter hasKey: whether the key was given for this file: a plain one is refused then.
  init(_ path: String, hasKey: Bool = false) {
    self.path = path
    vfs =
      !hasKey && Database.processDefaultVFS != nil && Database.isPlain(path)
      ? FileCipher.resolve(Database.systemVFS, forFile: path) : nil
  }

  var isEncrypted: Bool { vfs == nil && Database.processDefaultVFS != nil }

  /// Reads the file in the state that the first reading found.
  ///
  /// - Throws: what `body` throws. Of a damaged file other words than the files of this package have: `salvage` reads those alone.
  func reading<Result>(
    _ body: (Database, _ attachment: String) throws -> Result
  ) throws -> Result {
    do {
      let file = try opened ?? FileReading(path, FileInspector(vfs: vfs))
      opened = file
      return try file.reading(body)
    } catch let error as MigrationError where error.kind == .fileDamaged {
      throw SourceDamage.error(error)
    }
  }

  /// Lets the file go, once all is read: others may write it then.
  func close() {
    opened?.close()
    opened = nil
  }

  /// What another connection attaches, whatever its own files are.
  func attachment(_ uri: String) -> String { vfs.map { "\(uri)&vfs=\($0)" } ?? uri }
}
