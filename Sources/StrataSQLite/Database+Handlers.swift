import CSQLite
import Synchronization

extension Database {
  /// Calls `body` about every so many of SQLite's instructions while a statement runs; true stops it with
  /// `interrupted`. Nil takes the handler away.
  package func setProgressHandler(every instructions: Int, _ body: (() -> Bool)?) {
    guard let body else {
      sqlite3_progress_handler(handle, 0, nil, nil)
      progressHandler = nil
      return
    }
    let box = ProgressBox(body)
    progressHandler = box  // kept for as long as SQLite has its address
    sqlite3_progress_handler(
      handle, Int32(clamping: instructions),
      { address in
        guard let address else { return 0 }
        return Unmanaged<ProgressBox>.fromOpaque(address).takeUnretainedValue().body() ? 1 : 0
      },
      Unmanaged.passUnretained(box).toOpaque())
  }
}

final class ProgressBox {
  let body: () -> Bool
  init(_ body: @escaping () -> Bool) { self.body = body }
}

/// Stops the statement that a connection is running, from any thread.
package final class InterruptHandle: Sendable {
  // The address as a number, nil once the connection is closed: SQLite must not be called after that.
  private let connection: Mutex<UInt?>

  init(_ handle: OpaquePointer) { connection = Mutex(UInt(bitPattern: handle)) }

  package func interrupt() {
    connection.withLock { address in
      if let handle = address.flatMap({ OpaquePointer(bitPattern: $0) }) {
        sqlite3_interrupt(handle)
      }
    }
  }

  func connectionCloses() { connection.withLock { $0 = nil } }
}
