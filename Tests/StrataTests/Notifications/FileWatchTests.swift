import Foundation
import Testing

@testable import Strata

@Suite struct FileWatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func behindAWriteSignalsComeLaterAndLater() throws {
    var later = LaterSignals()
    var place = later.written()
    var delays: [Int] = []
    while let due = place {
      #expect(later.isDue(due))
      delays.append(due.delay)
      place = later.given(due)
    }
    #expect(delays == [50, 100, 200, 400, 800, 1600, 3200, 6400])
  }

  /// The first one may come before the second write can be seen.
  @Test func aWriteBeforeTheFirstSignalHasOneOfItsOwn() throws {
    var later = LaterSignals()
    let written = [later.written(), later.written()]
    let first = try #require(written[0])
    let given = [later.given(first), later.given(first)]

    #expect(written[1] == nil && given[0] == first && given[1]?.number == 1)
  }

  @Test func aWriteBehindTheFirstSignalBeginsAnew() throws {
    var later = LaterSignals()
    let written = later.written()
    let first = try #require(written)
    let given = later.given(first)
    let second = try #require(given)
    let again = later.written()
    let other = try #require(again)
    #expect(other.number == 0 && other != first)
    #expect(!later.isDue(second) && later.isDue(other))

    later.stop()
    let stopped = later.written()
    #expect(!later.isDue(other) && stopped == nil)
  }

  /// SQLite writes the log before it says how far the log reaches, and may be held up in between.
  @Test(.timeLimit(.minutes(10))) func signalsComeBehindAWriterThatStandsStill() async throws {
    let path = folder.file("a.db")
    try Data("begun".utf8).write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let watch = try #require(FileWatch(path) { continuation.yield() })
    var signals = stream.makeAsyncIterator()

    file.write(Data("one".utf8))

    // At once, a little later, and more behind that, when the writer has gone on.
    for _ in 0..<6 { _ = await signals.next() }
    watch.stop()
    try file.close()
  }
}
