import Foundation
import Testing

@testable import Strata

@Suite struct FileWatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A write that comes while a later signal is under way has a later one of its own.
  @Test(.timeLimit(.minutes(10))) func eachWriteHasALaterSignal() async throws {
    let path = folder.file("a.db")
    try Data("begun".utf8).write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let watch = try #require(FileWatch(path) { continuation.yield() })
    var signals = stream.makeAsyncIterator()

    file.write(Data("one".utf8))
    _ = await signals.next()
    file.write(Data("two".utf8))

    // At once for the second write, and later for each of the two.
    for _ in 0..<3 { _ = await signals.next() }
    watch.stop()
    try file.close()
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
