/// Which signals are to come behind a write to a file.
struct LaterSignals {
  /// Milliseconds until the first one.
  static let delay = 50
  /// How many come behind the last write: 13 seconds in all.
  static let count = 8

  /// One of the signals behind a write.
  struct Place: Equatable {
    /// Which write; one that comes before the first signal behind another has none of its own.
    fileprivate let round: Int
    let number: Int

    /// Milliseconds from the one before.
    var delay: Int { LaterSignals.delay << number }
  }

  private var round = 0
  /// The one that is to come; nil where all were given.
  private var next: Place?
  /// Whether the file was written since the first one was put off, so that it may come too soon.
  private var isWrittenAgain = false
  private var isStopped = false

  /// The file was written.
  ///
  /// - Returns: the first signal behind it, to be given when its time has come; nil where one is to come already.
  mutating func written() -> Place? {
    if isStopped { return nil }
    if next?.number == 0 {
      isWrittenAgain = true
      return nil
    }
    round += 1
    next = Place(round: round, number: 0)
    return next
  }

  /// Whether a signal whose time has come is to be given: none is that a later write has begun anew.
  func isDue(_ place: Place) -> Bool { !isStopped && place == next }

  /// A signal was given.
  ///
  /// - Returns: the one behind it; nil where it was the last one.
  mutating func given(_ place: Place) -> Place? {
    guard isDue(place) else { return nil }
    if isWrittenAgain {
      isWrittenAgain = false
    } else {
      next =
        place.number + 1 < Self.count ? Place(round: round, number: place.number + 1) : nil
    }
    return next
  }

  mutating func stop() { isStopped = true }
}
