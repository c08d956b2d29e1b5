import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// What a store does itself while it opens a file is no change by others.
@Suite struct FirstRefreshTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write { try store.add(Person(id: 1, name: "Ada", age: 36)) }
    store.close()
  }

  @Test func ofANewFileNothingHasChanged() throws {
    let store = try Store(path: folder.file("new.db"), schema: TestingSchema.self)
    #expect(try store.refresh() == false)
  }

  @Test func ofAFileThatIsThereNothingHasChanged() throws {
    let store = try Store(path: path, schema: TestingSchema.self)
    #expect(try store.refresh() == false)
  }

  @Test func ofAFileThatGetsItsLogBackNothingHasChanged() throws {
    try Database(path: path).setPragma("journal_mode", "DELETE")

    let store = try Store(path: path, schema: TestingSchema.self)

    #expect(try store.refresh() == false)
  }

  /// Compacting writes the tables anew.
  @Test func theFirstChangeByAnotherProgramIsToldToAStoreThatWasCompacted() throws {
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.shouldCompactOnLaunch = { _, _ in true }
    let store = try Store(configuration: configuration)
    #expect(try store.refresh() == false)
    let log = ChangeLogbook()
    let token = try store.objects(Person.self).observe(log.note)
    #expect(log.take() == ["initial 1"])

    try Database(path: path).execute("UPDATE Person SET age = 1")

    #expect(try store.refresh())
    #expect(log.take() == ["*0"])
    token.invalidate()
  }

  @Test func aStoreMayWaitForEver() throws {
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.busyTimeout = .seconds(Int64.max)

    let store = try Store(configuration: configuration)

    #expect(store.objects(Person.self).count == 1)
  }
}
