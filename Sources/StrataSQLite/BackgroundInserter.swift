/// Inserts batches on a thread of its own, in the order in which they are given.
///
/// While it has some in hand, no other thread may use the inserter's connection: `waitUntilIdle` first.
package final class BackgroundInserter {
  private let queue: Queue
  private let thread: BackgroundThread

  /// Nil where the system has no thread left.
  package init?(_ inserter: RowInserter, cellsOfBatch: Int) {
    let queue = Queue(inserter, cellsOfBatch: cellsOfBatch)
    guard let thread = BackgroundThread.start({ queue.work() }) else { return nil }
    self.queue = queue
    self.thread = thread
  }

  /// Takes a filled batch and gives an empty one for it.
  ///
  /// - Throws: what an earlier batch met; this one is not taken then.
  package func exchange(_ batch: RowBatch, rows: Int) throws(SQLiteError) -> RowBatch {
    try queue.exchange(batch, rows: rows)
  }

  /// Waits until everything that was given is inserted.
  ///
  /// - Throws: what went wrong first, also the next time.
  package func waitUntilIdle() throws(SQLiteError) { try queue.waitUntilIdle() }

  /// Ends the thread: what it has in hand is inserted, what waits is not.
  package func end() {
    queue.end()
    thread.join()
  }

  deinit { end() }
}

// Everything here is read and written under the monitor, but for a batch, which belongs to one thread at a time, and
// the inserter, which is the working thread's.
private final class Queue: @unchecked Sendable {
  /// One that is filled, one that is inserted, and some between, because neither side is steady.
  private static let batches = 6

  private let inserter: RowInserter
  private let monitor = Monitor()
  private var filled: [(batch: RowBatch, rows: Int)] = []
  private var free: [RowBatch]
  private var isInserting = false
  private var isEnding = false
  private var error: SQLiteError?

  init(_ inserter: RowInserter, cellsOfBatch: Int) {
    self.inserter = inserter
    // One more is its filler's, who exchanges it.
    free = (1..<Self.batches).map { _ in RowBatch(cells: cellsOfBatch) }
  }

  deinit {
    for batch in free { batch.free() }
    for (batch, _) in filled { batch.free() }
  }

  func exchange(_ batch: RowBatch, rows: Int) throws(SQLiteError) -> RowBatch {
    let exchanged = monitor.locked { () -> Result<RowBatch, SQLiteError> in
      if let error { return .failure(error) }
      filled.append((batch, rows))
      monitor.announce()
      monitor.wait { !free.isEmpty }
      return .success(free.removeLast())
    }
    return try exchanged.get()
  }

  func waitUntilIdle() throws(SQLiteError) {
    let error = monitor.locked {
      monitor.wait { filled.isEmpty && !isInserting }
      return self.error
    }
    if let error { throw error }
  }

  func end() {
    monitor.locked {
      isEnding = true
      monitor.announce()
    }
  }

  // MARK: - The thread

  func work() {
    while let (batch, rows) = next() {
      var failure: SQLiteError?
      do {
        try inserter.insert(batch, rows: rows)
      } catch {
        failure = error
      }
      batch.clear()
      monitor.locked {
        if error == nil { error = failure }
        // Nothing is inserted behind what failed.
        if error != nil {
          for (batch, _) in filled {
            batch.clear()
            free.append(batch)
          }
          filled.removeAll()
        }
        free.append(batch)
        isInserting = false
        monitor.announce()
      }
    }
  }

  private func next() -> (batch: RowBatch, rows: Int)? {
    monitor.locked {
      monitor.wait { isEnding || !filled.isEmpty }
      guard !isEnding, !filled.isEmpty else { return nil }
      isInserting = true
      return filled.removeFirst()
    }
  }
}
