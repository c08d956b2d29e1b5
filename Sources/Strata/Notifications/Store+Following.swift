import StrataSQLite

extension Store {
  // A store that is only looked for in its own isolation; see `followOthers`. The isolation is not held either: an actor that holds
  // the store would never be freed.
  private struct Follower: @unchecked Sendable {
    weak var store: Store?
    weak var isolation: (any Actor)?
  }

  /// What wakes this store when others have written.
  func listen() -> CommitListener {
    if let listener = following.listener { return listener }
    let isInMemory = configuration.inMemoryIdentifier != nil
    let listener = CommitListener(file: fileKey, path: isInMemory ? nil : path)
    following.listener = listener
    return listener
  }

  /// Moves the store on when others have written, in the isolation of its observers. Without an actor no other thread may call into it
  /// from outside: it moves on with `refresh()` and with writes.
  func followOthers(isolation: isolated (any Actor)?) {
    guard isolation != nil, !following.isFollowing else { return }
    following.isFollowing = true
    let signals = listen().signals()
    if mayBeBehind { signals.wake() }
    let stream = signals.stream
    let follower = Follower(store: self, isolation: isolation)
    Task {
      for await _ in stream {
        // Held for one call. Where the actor is gone, nothing may touch its store any more.
        guard let place = follower.isolation, await Store.follow(follower, in: place) else {
          return
        }
      }
    }
  }

  /// Whether the store may stand on an older version: no signal follows for what was committed before.
  private var mayBeBehind: Bool {
    guard snapshot.pinsVersions else { return false }
    guard let mark = snapshot.pinMark, let watch = snapshot.versionWatch else { return true }
    return (try? watch.newest()) != mark
  }

  /// Runs where the observers do.
  /// - Returns: whether the store is still there.
  private static func follow(_ follower: Follower, in isolation: isolated (any Actor)) -> Bool {
    guard let store = follower.store else { return false }
    store.catchUp()
    return true
  }

  /// Moves to the newest version for the sake of observers, if anything has happened.
  func catchUp() {
    guard !isClosed, !isInWriteTransaction else { return }
    guard activeObservers != nil else {
      // Until the next observer is added.
      following.isFollowing = false
      following.listener?.stop()
      following.listener = nil
      return
    }
    if isKeptFromReading { return }
    do throws(StoreError) {
      // What could not be read before keeps the store from nothing. The store's own writes, which are seen in the file, too, are no occasion to go on
      // with observers that make each other write.
      try withoutEarlierError { () throws(StoreError) in _ = try refresh(tellingRest: false) }
    } catch .busy {
      // Another connection holds the file: what it does is told when it has done it.
    } catch {
      // The next call that can throws the error.
      fail(error)
    }
  }

  /// Whether another store is in a transaction, for whose end this one would wait: without versions it cannot read meanwhile. What that
  /// one does is told when it has done it.
  private var isKeptFromReading: Bool {
    if snapshot.pinsVersions { return false }
    database.setBusyTimeout(milliseconds: 0)
    defer { database.setBusyTimeout(milliseconds: configuration.busyTimeout.milliseconds) }
    do {
      _ = try database.pragma("data_version")
      return false
    } catch {
      if case .busy = storeError(error) { return true }
      return false
    }
  }
}
