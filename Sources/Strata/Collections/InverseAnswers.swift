/// The objects that link to one object, as far as they were read.
final class InverseAnswers: CollectionCore {
  struct Known {
    let query: Query
    let window: ResultWindow

    init(_ query: Query) {
      self.query = query
      window = ResultWindow(query)
    }
  }

  /// Nil once others were asked for since.
  @exclusivity(unchecked) fileprivate(set) var known: Known?

  required init() {}
}

/// The inverses that a store's objects were asked for last: what these know is kept, and what others know is forgotten, so that
/// an app may hold as many objects as it likes.
struct RecentInverses {
  /// A question with its answers takes more than a kilobyte.
  static let limit = 256

  // What an object knows goes with the object.
  private struct Place {
    weak var answers: InverseAnswers?
  }
  private var places: [Place] = []
  /// The place that is longest in use.
  private var oldest = 0

  /// Gives an inverse something to know, and takes it from the one that has known it longest.
  mutating func add(_ answers: InverseAnswers, knowing known: InverseAnswers.Known) {
    answers.known = known
    guard places.count == Self.limit else { return places.append(Place(answers: answers)) }
    places[oldest].answers?.known = nil
    places[oldest].answers = answers
    oldest = (oldest + 1) % Self.limit
  }

  /// How many inverses know what they were asked; for tests.
  var knownCount: Int { places.count { $0.answers?.known != nil } }
}
