import Strata
import StrataAdopt
import StrataEvolution
import StrataFiles
import StrataRealm
import StrataSQLite
import StrataSchema

/// A Realm file, plain or encrypted, that is read as if it were a database: by a copy in a temporary folder, which no run leaves
/// behind. The copy of an encrypted file is encrypted, too, because every database of a call with a key is.
struct RealmCopy {
  let path: String
  /// 64 bytes; nil where the file is not encrypted.
  private let key: [UInt8]?
  let format: Int

  /// - Returns: nil for a file that is none of Realm's, as far as can be told with the key that the command was given.
  init?(_ path: String, key: KeyOptions) throws {
    self.path = path
    let start = (try? POSIXFiles().read(path, from: 0, count: 24)) ?? []
    guard !start.isEmpty else { return nil }
    if RealmFile.isRealm(start) {
      self.key = nil
      // What is damaged behind its header is told by the reading that follows.
      format = Int(start[20 + Int(start[23] & 1)])
      return
    }
    guard case .bytes(let bytes)? = try key.key(), bytes.count == RealmFile.keySize,
      let found = RealmFile.format(ofEncrypted: path, key: bytes)
    else { return nil }
    self.key = bytes
    format = found
  }

  /// - Parameter body: given the path of the database that has the file's objects.
  func with<Result>(_ body: (String, AdoptedData) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (database, data) = try bring(into: folder, isChecked: true)
    return try body(database, data)
  }

  /// Copies all objects into a database; Ctrl-C ends it.
  ///
  /// - Parameter isChecked: whether the file is read a second time, to compare.
  func bring(
    into folder: TemporaryFolder, isChecked: Bool
  ) throws -> (database: String, data: AdoptedData) {
    Interruption.watch()
    let adoption = try RealmAdoption(path: path, key: key, name: nil)
    let project: AdoptedProject
    do {
      project = try AdoptedProject(adoption.source.history, date: FreezeCommand.today)
    } catch { throw CommandFailure("\(error.message).") }
    // A copy is looked at and removed. Of an encrypted file it is encrypted, and the lines of what it lacks would not be.
    do {
      let data = try adoption.bring(
        into: folder.path, of: project, isChecked: isChecked, keepsLeftOut: false)
      return ("\(folder.path)/\(AdoptedData.databaseName(project.history.name))", data)
    } catch let error as RealmError {
      throw damage(error)
    }
  }

  private func damage(_ error: RealmError) -> MigrationError {
    MigrationError(.fileDamaged, "\(path) is a damaged Realm file: \(error).")
  }

  /// Adds what the file itself says: its version, its objects, and where it is damaged.
  func complete(_ inspection: inout FileInspection, digest: Bool) throws {
    inspection.kind = .realm
    inspection.isEncrypted = key != nil
    do {
      _ = try RealmFile(path: path, key: key)
    } catch {
      inspection.judge(by: damage(error))
      return
    }
    do {
      let source = try RealmSource(path: path, key: key, name: nil)
      inspection.status = .foreign
      inspection.isJudged = true
      inspection.schemaName = source.history.name
      inspection.version = source.history.versions[0].schema.version
      inspection.counts = source.counts
      inspection.problem = nil
      guard digest else { return }
      inspection.dataDigest = try with { copy, _ in
        try FileInspector().inspect(copy, target: nil, digest: true).dataDigest
      }
    } catch let error as MigrationError where error.kind == .fileDamaged {
      inspection.judge(by: error)
    } catch let error as CommandFailure {
      // What keeps it from being a database, as two objects with one key. The other files have answers of their own.
      inspection.judge(by: MigrationError(.fileDamaged, error.message))
    } catch is AdoptError {
      // What `inspect` has found stays: a Realm file, and nothing in it.
    }
  }
}
