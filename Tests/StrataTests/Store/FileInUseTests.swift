import Foundation
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

/// What one does to a file that another one has open, or opens at this moment.
@Suite struct FileInUseTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    let store = try open()
    try store.write { for number in 0..<2_000 { try store.add(Dog(name: "Dog \(number)")) } }
    store.close()
  }

  private func configuration(_ name: String = "a.db") -> Store.Configuration {
    Store.Configuration(path: folder.file(name), schema: TestingSchema.self)
  }

  private func open(_ name: String = "a.db") throws -> Store {
    try Store(configuration: configuration(name))
  }

  private func size(_ name: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))[.size] as? Int ?? 0
  }

  // MARK: - Deleting

  /// What an opener in between committed would be gone with the file.
  @Test func aFileThatIsBeingDeletedIsNotOpened() throws {
    var impatient = configuration()
    impatient.busyTimeout = .zero

    let isDeleted = try StoreFiles(path).delete(first: {
      #expect(throws: StoreError.busy(path: path)) { try Store(configuration: impatient) }
      #expect(throws: StoreError.fileIsOpen(path: path)) { try StoreFiles(path).delete() }
    })

    #expect(isDeleted)
    let store = try open()
    #expect(store.objects(Dog.self).isEmpty)
  }

  @Test func whatIsNotReadIsNotOpenedMeanwhileEither() throws {
    try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))

    let isDeleted = try StoreFiles(path).delete(first: {
      #expect(throws: StoreError.fileIsOpen(path: path)) { try StoreFiles(path).delete() }
    })

    #expect(isDeleted)
    #expect(try open().objects(Dog.self).isEmpty)
  }

  /// A file that stays because of an error can be opened, and deleted again.
  @Test func aFileThatCouldNotBeDeletedStays() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try StoreFiles(path).delete(first: { throw Refusal() }) }

    #expect(try open().objects(Dog.self).count == 2_000)
    #expect(try Store.deleteFiles(for: configuration()))
  }

  @Test func nothingIsLostWhereManyDeleteAndOpen() throws {
    let configuration = Store.Configuration.patient(path)
    let problems = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { number in
      for round in 0..<8 {
        do {
          if number == 0 {
            try Store.deleteFiles(for: configuration)
            continue
          }
          let store = try Store(configuration: configuration)
          let name = "\(number) \(round)"
          try store.write { try store.add(Dog(name: name)) }
          let other = try Store(configuration: configuration)
          let found = try other.objects(Dog.self).filter("name = $0", name).count
          if found != 1 { problems.withLock { $0.append("\(name) is lost") } }
          other.close()
          store.close()
        } catch StoreError.fileIsOpen {
          continue
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
    }

    #expect(problems.withLock { $0 } == [])
  }

  // MARK: - Compacting

  /// What is written anew beside others would stand in the log until the last of them is closed.
  @Test(arguments: [false, true]) func aFileIsNotCompactedBesideOthers(hasLetGo: Bool) throws {
    let store = try open()
    try store.write { try store.deleteAll() }
    #expect(store.objects(Dog.self).isEmpty)
    if hasLetGo { try store.invalidate() }
    let (file, log) = (try size("a.db"), try size("a.db-wal"))
    var compacting = configuration()
    compacting.shouldCompactOnLaunch = { _, _ in true }

    try Store(configuration: compacting).close()

    #expect(try size("a.db") == file)
    #expect(try size("a.db-wal") == log)
    store.close()
    try Store(configuration: compacting).close()
    #expect(try size("a.db") < file)
  }

  // MARK: - Hard links

  @Test(arguments: [false, true]) func aFileIsInUseByOneOfItsNames(readOnly: Bool) throws {
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("b.db"))
    let store = try open()
    var second = configuration("b.db")
    second.readOnly = readOnly

    let error = #expect(throws: StoreError.self) { try Store(configuration: second) }

    #expect(error?.code == "STR5001")
    #expect(error?.description.contains("in use by its other name") == true)
    // Its own name is none of the others.
    #expect(try open().objects(Dog.self).count == 2_000)
    store.close()
    #expect(try Store(configuration: second).objects(Dog.self).count == 2_000)
  }
}
