/// How the links of one property go on from object to object: in circles and in a chain of several lengths, and for the rest of the
/// objects otherwise.
///
/// What follows links is wrong at certain lengths only: where two objects lead to each other, or where there are more than it counts on.
enum ProofLinks {
  /// Where a link leads.
  enum Way: Equatable {
    /// The object with this position among those of the model.
    case object(Int)
    case nothing
    /// One to which many lead.
    case shared
    case anywhere
  }

  /// Objects that stand in a row: the last leads to the first, or to nothing.
  private static let runs: [(length: Int, isCircle: Bool)] = [
    (1, true), (2, true), (3, true), (8, true), (20, false),
  ]
  /// Objects after which the runs begin again: some of them stand in no run.
  private static let period = 48
  /// Where runs begin and where the last one ends. Each property begins with another one: what an object's links lead to differs, and no run is cut.
  private static let starts = runs.reduce(into: [0]) { starts, run in
    starts.append((starts.last ?? 0) + run.length)
  }

  /// Where a property's link leads.
  ///
  /// - Parameters:
  ///   - rank: the position of the object, or of the one in its place among those that are linked to; below `count`.
  ///   - count: the objects that may be linked to; the last run may be shorter for it.
  ///   - number: the number of the property.
  static func way(from rank: Int, of count: Int, property number: Int) -> Way {
    let place = (rank + starts[number % starts.count]) % period
    for (run, start) in zip(runs, starts) where place >= start && place < start + run.length {
      let isLast = place == start + run.length - 1 || rank == count - 1
      if !isLast { return .object(rank + 1) }
      return run.isCircle ? .object(max(0, rank - (place - start))) : .nothing
    }
    switch place % 3 {
    case 0: return .nothing
    case 1: return .shared
    default: return .anywhere
    }
  }
}
