import Strata
import StrataSQLite
import StrataSchema
import Testing

@Suite struct ChangeSinkTests {
  let schema = DatabaseLayoutTests.schema
  let database: Database
  let sink: ChangeSink
  // Indexes of models and properties, in the order of their names.
  let person = 1
  let age = 0
  let name = 3

  init() throws {
    database = try TableLayoutTests.create(schema)
    sink = ChangeSink(schema: schema)
  }

  private func commit() throws {
    try sink.write(to: database)
    sink.reset()
  }

  private func log(after transaction: Int64 = 0) throws -> [String]? {
    let newest = try StrataMetadata.counter(.transaction, of: database)
    return try ChangeLog.entries(after: transaction, newest: newest, in: database)?.map { entry in
      let rows = entry.rows.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
      return ([entry.model, entry.kind.rawValue, rows] + entry.columns).joined(separator: " ")
    }
  }

  @Test func consecutiveRowsAreOneEntry() throws {
    for row in 1...1000 as ClosedRange<Int64> { sink.inserted(row, of: person) }
    sink.updated(1000, of: person, property: age)
    try commit()

    #expect(try log() == ["Person insert 1-1000"])
  }

  @Test func anUpdateNamesItsColumns() throws {
    sink.updated(5, of: person, property: name)
    sink.updated(5, of: person, property: age)
    sink.updated(7, of: person, property: age)
    sink.deleted(5, of: person)
    try commit()

    #expect(
      try log() == ["Person update 5-5 age name", "Person update 7-7 age", "Person delete 5-5"])
  }

  @Test func tooManyChangesAreAll() throws {
    for row in 1...2000 as ClosedRange<Int64> { sink.updated(row * 2, of: person, property: age) }
    try commit()

    #expect(try log() == ["Person all *"])
  }

  @Test func aReaderGetsWhatCameAfterIt() throws {
    sink.inserted(1, of: person)
    try commit()
    sink.inserted(2, of: person)
    try commit()

    #expect(try log(after: 1) == ["Person insert 2-2"])
    #expect(try log(after: 2) == [])
  }

  @Test func aRolledBackTransactionLeavesNoEntry() throws {
    sink.inserted(1, of: person)
    sink.reset()
    try commit()

    #expect(try log() == [])
    #expect(try StrataMetadata.counter(.transaction, of: database) == 0)
  }

  @Test func aReaderThatFellBehindIsTold() throws {
    try database.begin()
    for transaction in 0..<30 {
      for row in 1...400 as ClosedRange<Int64> {
        sink.updated(row * 2 + Int64(transaction), of: person, property: age)
      }
      try commit()
    }
    try database.commit()

    #expect(try log(after: 0) == nil)
    #expect(try log(after: 2) == nil)
    #expect(try log(after: 29)?.count == 400)
    #expect(
      try database.firstValue("SELECT count(*) FROM _strata_changes")
        == .integer(Int64(ChangeLog.maximumEntries)))
  }
}
