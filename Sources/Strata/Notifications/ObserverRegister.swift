/// What of a store concerns an observer: a change of anything else makes no difference to it.
enum ObservationScope {
  /// Any change of the store.
  case everything
  /// One object, and all objects of some models.
  case object(Place, andAllOf: Set<Int>)

  /// Where an object is: its model's index in the schema and its row.
  struct Place {
    let model: Int
    let row: Int64
  }
}

/// The observers of a store, which their owners keep. They are found by what has changed, so that a commit takes time for those that its changes concern,
/// however many others there are.
struct ObserverRegister {
  private struct Known {
    weak var observer: Observer?

    var active: Observer? {
      guard let observer, observer.state.isActive else { return nil }
      return observer
    }
  }

  /// With fewer observers none is looked for that has ended.
  private static let minimumCleaning = 16

  /// Observers of everything, in the order in which they came.
  private var ofAnything: [Known] = []
  /// Observers of single objects: by the models whose objects all concern them, then by the model and row of their object.
  private var ofPlaces: [Set<Int>: [Int: [Int64: [Known]]]] = [:]
  /// Observers of single objects that may have something to tell.
  private var noted: [Known] = []
  /// How many are known, those that have ended included.
  private(set) var count = 0
  /// How many are known when those that have ended are looked for next.
  private var nextCleaning = Self.minimumCleaning
  /// How often observers were told since those that had ended were looked for.
  private var deliveries = 0
  /// The number of the next one; numbers grow in the order in which observers come.
  private(set) var nextNumber = 0

  // MARK: Who is known

  mutating func add(_ observer: Observer) {
    // Not with each: many that are added one behind the other would be walked through for every one of them.
    if count >= nextCleaning { forgetEnded() }
    observer.number = nextNumber
    nextNumber += 1
    count += 1
    let known = Known(observer: observer)
    switch observer.scope {
    case .everything: ofAnything.append(known)
    case .object(let place, let models):
      ofPlaces[models, default: [:]][place.model, default: [:]][place.row, default: []]
        .append(known)
    }
  }

  private mutating func forgetEnded() {
    ofAnything.removeAll { $0.active == nil }
    count = ofAnything.count
    for (models, places) in ofPlaces {
      var kept: [Int: [Int64: [Known]]] = [:]
      for (model, rows) in places {
        for (row, known) in rows {
          let active = known.filter { $0.active != nil }
          if active.isEmpty { continue }
          kept[model, default: [:]][row] = active
          count += active.count
        }
      }
      ofPlaces[models] = kept.isEmpty ? nil : kept
    }
    nextCleaning = max(Self.minimumCleaning, 2 * count)
    deliveries = 0
  }

  /// After observers were told: those that have ended are looked for; those of places after as many deliveries as there are observers.
  mutating func noteDelivery() {
    noted.removeAll { known in
      if let observer = known.active, observer.hasPending { return false }
      known.observer?.isNoted = false
      return true
    }
    let before = ofAnything.count
    ofAnything.removeAll { $0.active == nil }
    count -= before - ofAnything.count
    deliveries += 1
    if deliveries >= max(count, Self.minimumCleaning) { forgetEnded() }
  }

  /// Forgets all observers.
  mutating func removeAll() {
    ofAnything = []
    ofPlaces = [:]
    noted = []
    count = 0
    nextCleaning = Self.minimumCleaning
    deliveries = 0
  }

  /// One that has not ended.
  var anyActive: Observer? {
    for known in ofAnything { if let observer = known.active { return observer } }
    for places in ofPlaces.values {
      for rows in places.values {
        for known in rows.values.joined() { if let observer = known.active { return observer } }
      }
    }
    return nil
  }

  /// All of them, in the order in which they came.
  var all: [Observer] {
    var found = ofAnything.compactMap(\.active)
    for places in ofPlaces.values {
      for rows in places.values { found += rows.values.joined().compactMap(\.active) }
    }
    return found.sorted { $0.number < $1.number }
  }

  // MARK: Who is concerned

  /// Those that a change may concern.
  func concerned(by record: ChangeRecord) -> [Observer] {
    var found = ofAnything.compactMap(\.active)
    for (models, places) in ofPlaces {
      let isAny = record.models.keys.contains(where: models.contains)
      for (model, rows) in places {
        if isAny {
          found += rows.values.joined().compactMap(\.active)
        } else if let changes = record.models[model] {
          add(changes.touchedRows, of: rows, to: &found)
        }
      }
    }
    return found
  }

  /// Looks for each row that has changed, or at each that is observed, whichever are fewer.
  private func add(
    _ changed: RowSet, of rows: [Int64: [Known]], to found: inout [Observer]
  ) {
    if changed.count <= rows.count {
      for range in changed.ranges {
        for row in range { found += rows[row]?.compactMap(\.active) ?? [] }
      }
    } else {
      for (row, known) in rows where changed.contains(row) { found += known.compactMap(\.active) }
    }
  }

  /// An observer has got something to tell.
  mutating func note(_ observer: Observer) {
    guard case .object = observer.scope, !observer.isNoted else { return }
    observer.isNoted = true
    noted.append(Known(observer: observer))
  }

  /// Those that have something to tell, in the order in which they came.
  /// - Parameter numbers: of those that are asked.
  func pending(_ numbers: Range<Int>) -> [Observer] {
    func isPending(_ observer: Observer) -> Bool {
      observer.hasPending && numbers.contains(observer.number)
    }
    let rows = noted.compactMap(\.active).filter(isPending).sorted { $0.number < $1.number }
    let others = ofAnything.compactMap(\.active).filter(isPending)
    if rows.isEmpty { return others }
    return (rows + others).sorted { $0.number < $1.number }
  }
}
