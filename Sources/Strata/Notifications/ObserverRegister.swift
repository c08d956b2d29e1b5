/// What of a store concerns an observer: a change of anything else makes no difference to it.
struct ObservationScope {
  /// An object, by its model's index in the schema and its row.
  struct Place {
    let model: Int
    let row: Int64
  }

  /// One object; nil for none but those of the models.
  var place: Place?
  /// The models of which any object may concern it; nil for all.
  var models: Set<Int>?

  static let everything = ObservationScope()
}

/// The observers of a store, which their owners keep. They are found by what has changed, so that a commit costs those whom that concerns, however many
/// others there are.
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

  /// Those that anything may concern, in the order in which they came.
  private var ofAnything: [Known] = []
  /// The others by the models of which any object may concern them; of these each has an object besides, by whose model and row it is found.
  private var ofPlaces: [Set<Int>: [Int: [Int64: [Known]]]] = [:]
  /// Those of the latter that may have something to tell.
  private var noted: [Known] = []
  /// How many are known, those that have ended included.
  private var count = 0
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
    if let place = observer.scope.place, let models = observer.scope.models {
      ofPlaces[models, default: [:]][place.model, default: [:]][place.row, default: []]
        .append(known)
    } else {
      ofAnything.append(known)
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

  /// All have ended.
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
    guard observer.scope.models != nil, !observer.isNoted else { return }
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
