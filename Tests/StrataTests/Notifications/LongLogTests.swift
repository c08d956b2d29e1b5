import Dispatch
import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// The log of a file that others follow.
@Suite struct LongLogTests {
  let test: TestStore
  let writer: Store

  init() throws {
    test = try TestStore()
    writer = test.store
  }

  /// Three times what SQLite lets come together, in bytes: on a busy machine the moment is missed for a while.
  private static let bound = 12 << 20
  /// Commits of so much that without an end the log would be twice as long.
  private static let commits = 600
  private static let text = String(repeating: "x", count: 40_000)

  private func write(_ number: Int) throws {
    try writer.write { try writer.add(Dog(name: Self.text, age: number)) }
  }

  private var sizeOfLog: Int {
    get throws {
      try FileManager.default.attributesOfItem(atPath: test.folder.file("a.db") + "-wal")[.size]
        as? Int ?? 0
    }
  }

  @Test(arguments: [1, 3])
  func itBeginsAnewWhereStoresMoveOn(followers: Int) throws {
    let others = try (0..<followers).map { _ in try test.open() }
    let tokens = try others.map { try $0.objects(Dog.self).observe { _ in } }
    for number in 0..<Self.commits {
      try write(number)
      // Once more, as where the first one to copy all of it tells the others.
      for _ in 0..<2 { for other in others { try other.refresh() } }
    }

    #expect(try sizeOfLog < Self.bound)
    #expect(others.allSatisfy { $0.objects(Dog.self).count == Self.commits })
    withExtendedLifetime(tokens) {}
  }

  /// A transaction that is larger than SQLite's memory for it writes to the log before it ends, and begins it anew where all of it is copied.
  @Test(arguments: [false, true])
  func nothingIsToldWhereItBeginsAnewWithoutACommit(standsOnAVersion: Bool) throws {
    let other = try test.open()
    try writer.write { for number in 0..<100 { try writer.add(Dog(name: Self.text, age: number)) } }
    var told: [Int] = []
    let token = try other.objects(Dog.self).observe { change in
      if case .update(_, _, let insertions, _, _) = change { told.append(insertions.count) }
    }
    for _ in 0..<2 { try other.refresh() }
    let mark = try #require(other.database.logMark)
    if !standsOnAVersion { try other.invalidate() }
    try writer.write {
      for number in 0..<500 { try writer.add(Dog(name: Self.text, age: number)) }
      #expect(other.database.logMark?.isOnlyBegunAnew(since: mark) == true)
      for _ in 0..<2 { try other.refresh() }
      #expect(told == [])
    }
    try other.refresh()

    #expect(told == [500])
    token.invalidate()
  }

  @Test func itBeginsAnewWhereAQueueIsTold() async throws {
    let (told, continuation) = AsyncStream<Int>.makeStream()
    let token = try writer.objects(Dog.self).observe(on: DispatchQueue(label: "told")) { change in
      switch change {
      case .initial: continuation.yield(0)
      case .update(_, _, let insertions, _, _): continuation.yield(insertions.count)
      case .error: continuation.finish()
      }
    }
    var counts = told.makeAsyncIterator()
    #expect(await counts.next() == 0)
    for number in 0..<Self.commits {
      try write(number)
      #expect(await counts.next() == 1)
    }

    #expect(try sizeOfLog < Self.bound)
    token.invalidate()
  }
}
