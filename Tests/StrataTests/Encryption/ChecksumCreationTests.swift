import Dispatch
import Foundation
import StrataSQLite
import StrataSchema
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

#if os(Linux)
  /// A store without `checksums` opens a file while another process makes it with them.
  @Suite struct ChecksumCreationTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.file("a.db")
    }

    private func configuration(checksums: Bool) -> Store.Configuration {
      var configuration = Store.Configuration(
        fileURL: URL(fileURLWithPath: path), schema: TestingSchema.self)
      configuration.checksums = checksums
      configuration.busyTimeout = .seconds(60)
      return configuration
    }

    /// The store finds a file without a byte then, and waits for the lock.
    private func waitUntilTheStoreHasOpenedTheFile() throws {
      let (descriptors, maximumLooks) = ("/proc/self/fd", 60_000)
      for _ in 1...maximumLooks {
        let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)"))
            == path
        }
        // That of the other process, and that of the store.
        if open > 1 { return }
        Database.pause(milliseconds: 1)
      }
      Issue.record("the store has not opened the file")
    }

    /// - Parameter hasLayout: whether the other process has come as far as the first page alone.
    @Test(arguments: [true, false]) func theFileKeepsItsChecksums(hasLayout: Bool) throws {
      let other = try Database(path: path, vfs: ChecksummedPages.vfs())
      try other.setPragma("page_size", .integer(Database.strataPageSize))
      try other.begin(.exclusive)
      let configuration = configuration(checksums: false)
      let ended = DispatchSemaphore(value: 0)
      let failure = Mutex<(any Error)?>(nil)
      let thread = Thread {
        defer { ended.signal() }
        do { try fill() } catch { failure.withLock { $0 = error } }
      }
      @Sendable func fill() throws {
        let store = try Store(configuration: configuration)
        try store.write { for id in 1...200 { try store.add(Person(id: id, name: "Ada \(id)")) } }
        store.close()
      }
      thread.start()
      try waitUntilTheStoreHasOpenedTheFile()
      if hasLayout {
        let definition = TestingSchema.definition.schema
        try TableLayout(definition).create(
          in: other, lineage: Lineage(beginning: definition), chain: nil)
      } else {
        try other.execute("CREATE TABLE t (a)")
        try other.execute("DROP TABLE t")
      }
      try other.commit()
      other.close()
      ended.wait()
      #expect(failure.withLock { $0.map { "\($0)" } } == nil)

      let store = try Store(configuration: self.configuration(checksums: true))
      #expect(store.objects(Person.self).count == 200)
      #expect(store.objects(Person.self).filter { $0.name.hasPrefix("Ada") }.count == 200)
      store.close()
      let reader = try Database(path: path, mode: .readOnly, vfs: ChecksummedPages.vfs())
      #expect(try reader.firstValue("PRAGMA integrity_check")?.ifText == "ok")
      #expect(reader.reservedBytes == 8)
      reader.close()
    }
  }
#endif
