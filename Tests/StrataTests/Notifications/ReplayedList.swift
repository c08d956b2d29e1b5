import Strata

/// What an observer shows that never looks at the collection as a whole, only at what it is told.
final class ReplayedList<Shown: Equatable> {
  private(set) var shown: [Shown] = []
  private(set) var calls = 0
  private(set) var problem: String?

  /// As a program does that has changed both, and told the observer nothing.
  func reset(to shown: [Shown]) { self.shown = shown }

  /// - Parameter show: how an element is shown.
  func replay<Observed: ObservedCollection & RandomAccessCollection>(
    _ change: CollectionChange<Observed>, _ show: (Observed.Element) -> Shown
  ) where Observed.ChangedPlace == Int, Observed.Index == Int {
    calls += 1
    switch change {
    case .initial(let collection): shown = collection.map(show)
    case .update(let collection, let deletions, let insertions, let modifications, let moves):
      let old = shown
      let leaving = (deletions + moves.map(\.from)).sorted()
      if Set(leaving).count != leaving.count { problem = "something leaves twice" }
      let moved = Dictionary(uniqueKeysWithValues: moves.map { ($0.to, old[$0.from]) })
      for index in leaving.reversed() { shown.remove(at: index) }
      let coming = (insertions + moves.map(\.to)).sorted()
      for index in coming { shown.insert(moved[index] ?? show(collection[index]), at: index) }
      // A table view reloads the rows of the old positions, wherever they stand now.
      let reloaded = change.modificationsInNew
      if reloaded.count != modifications.count { problem = "a modification has no new position" }
      for (before, now) in zip(modifications, reloaded) {
        if deletions.contains(before) { problem = "\(before) is deleted and modified" }
        if insertions.contains(now) { problem = "\(now) is new and modified" }
        if shown[now] != old[before] { problem = "\(before) does not stand at \(now)" }
      }
      for now in reloaded { shown[now] = show(collection[now]) }
    case .error(let error): problem = error.description
    }
  }
}
