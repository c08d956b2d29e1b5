import StrataSQLite

extension Store {
  /// How long a writer that waits for another one sleeps at first, and at most.
  private static let firstPause: UInt64 = 500_000
  private static let longestPause: UInt64 = 20_000_000

  /// Runs a write transaction like ``write(_:)``, and waits for another writer without holding up the thread or the actor: others
  /// may use it meanwhile. There is no limit to the waiting but the task's cancellation.
  ///
  /// ```swift
  /// try await store.writeAsync { person.age += 1 }
  /// ```
  /// - Parameters:
  ///   - tokens: of observers that are not told: what they show is changed already.
  ///   - isolation: the actor that the transaction runs on; that of the caller.
  ///   - body: makes the changes; if it throws, none of them stays.
  /// - Throws: `CancellationError` when the task was cancelled before the transaction began, and what ``write(_:)`` throws.
  @discardableResult
  public func writeAsync<Result>(
    withoutNotifying tokens: [NotificationToken] = [],
    isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    try checkTokens(tokens)
    claim(isolation)
    var pause = Self.firstPause
    while true {
      try Task.checkCancellation()
      if try beginWriteAtOnce(except: tokens.map(\.state)) { break }
      try await Task.sleep(nanoseconds: pause)
      pause = min(pause * 2, Self.longestPause)
    }
    return try finishWrite(withoutNotifying: tokens, body)
  }

  /// - Returns: false while another connection writes.
  private func beginWriteAtOnce(except states: [ObservationState]) throws(StoreError) -> Bool {
    do {
      try beginWrite(waiting: false, except: states)
      return true
    } catch .busy {
      return false
    } catch {
      throw error
    }
  }
}
