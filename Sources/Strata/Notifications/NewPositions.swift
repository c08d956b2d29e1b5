/// Where the elements of the old collection stand in the new one.
struct NewPositions {
  /// Old positions that are left, and new ones that are taken, in order.
  private let leaving: [Int]
  private let coming: [Int]
  private let moves: [Int: Int]

  init(deletions: [Int], insertions: [Int], moves: [CollectionMove]) {
    leaving = (deletions + moves.map(\.from)).sorted()
    coming = (insertions + moves.map(\.to)).sorted()
    self.moves = Dictionary(moves.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
  }

  /// The new position of an element that was not deleted.
  func position(of old: Int) -> Int {
    if let new = moves[old] { return new }
    let rank = old - leaving.countBelow(old)
    // How many of those that come stand before the element of this rank among those that stay.
    var (low, high) = (0, coming.count)
    while low < high {
      let middle = (low + high) / 2
      if coming[middle] - middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank + low
  }

  /// Of positions or keys; a key stays what it is.
  static func places<Place>(
    of modifications: [Place], deletions: [Place], insertions: [Place], moves: [CollectionMove]
  ) -> [Place] {
    guard let old = modifications as? [Int], let deletions = deletions as? [Int],
      let insertions = insertions as? [Int]
    else { return modifications }
    let positions = NewPositions(deletions: deletions, insertions: insertions, moves: moves)
    return old.map(positions.position) as? [Place] ?? modifications
  }
}

extension CollectionChange {
  /// The positions of `modifications` in the new collection, in the order of `modifications`; of a map the same keys. Empty for
  /// what is no update.
  public var modificationsInNew: [Observed.ChangedPlace] {
    guard case .update(_, let deletions, let insertions, let modifications, let moves) = self else {
      return []
    }
    return NewPositions.places(
      of: modifications, deletions: deletions, insertions: insertions, moves: moves)
  }
}

extension CollectionChangeSet {
  /// The positions of `modifications` in the new collection, in the order of `modifications`; of a map the same keys. Empty for
  /// what is no update.
  public var modificationsInNew: [Observed.ChangedPlace] {
    guard case .update(_, let deletions, let insertions, let modifications, let moves) = self else {
      return []
    }
    return NewPositions.places(
      of: modifications, deletions: deletions, insertions: insertions, moves: moves)
  }
}
