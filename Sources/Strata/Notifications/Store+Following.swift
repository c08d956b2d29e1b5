extension Store {
  // A store that is only looked for in its own isolation; see `followOthers`.
  private struct Box: @unchecked Sendable {
    weak var store: Store?
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
    let signals = listen().signals().stream
    let box = Box(store: self)
    Task {
      // Runs where the observers do.
      _ = isolation
      for await _ in signals {
        guard let store = box.store else { return }
        store.catchUp()
      }
    }
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
}
