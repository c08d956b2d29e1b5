import Strata
import StrataAdopt
import StrataEvolution
import StrataRealm
import StrataSQLite
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A Realm file that is read as if it were a database: a copy in a temporary folder, which no run leaves behind.
enum RealmCopy {
  static func isRealm(_ path: String) -> Bool {
    RealmFile.isRealm((try? POSIXFiles().read(path, from: 0, count: 24)) ?? [])
  }

  /// - Parameter body: given the path of the database that has the file's objects.
  static func with<Result>(
    _ path: String, _ body: (String, AdoptedData) throws -> Result
  ) throws -> Result {
    let adoption = try RealmAdoption(path: path, keyFile: nil, name: nil)
    let project: AdoptedProject
    do {
      project = try AdoptedProject(adoption.source.history, date: FreezeCommand.today)
    } catch { throw CommandFailure("\(error.message).") }
    let folder = try temporaryFolder()
    defer {
      for name in AdoptedData.names(project.history.name) {
        for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/\(name)\(suffix)") }
      }
      rmdir(folder)
    }
    let data = try adoption.bring(into: folder, of: project)
    return try body("\(folder)/\(AdoptedData.databaseName(project.history.name))", data)
  }

  private static func temporaryFolder() throws -> String {
    let parent = Terminal.environment("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/strata-realm-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure(
        "no temporary folder can be made in \(parent): \(String(cString: strerror(errno))).")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Adds what the file itself says: its version, its objects, and where it is damaged.
  static func complete(_ inspection: inout FileInspection, digest: Bool) throws {
    do {
      _ = try RealmFile(path: inspection.file)
    } catch {
      inspection.status = .damaged
      inspection.problem = MigrationError(
        .fileDamaged, "\(inspection.file) is a damaged Realm file: \(error).")
      return
    }
    do {
      let source = try RealmSource(path: inspection.file, key: nil, name: nil)
      inspection.schemaName = source.history.name
      inspection.version = source.history.versions[0].schema.version
      inspection.counts = source.counts
      inspection.problem = nil
      if digest {
        inspection.dataDigest = try with(inspection.file) { copy, _ in
          try FileInspector().inspect(copy, target: nil, digest: true).dataDigest
        }
      }
    } catch is AdoptError {
      // What `inspect` has found stays: a Realm file, and nothing in it.
    }
  }
}
