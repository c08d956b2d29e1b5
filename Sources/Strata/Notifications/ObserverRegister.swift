/// One object of a store, named by its model's index in the schema and its row.
struct ObservedRow: Hashable {
  let model: Int
  let row: Int64
}

/// The observers of a store, which their owners keep. Those of single objects are found by what has changed, so that a commit costs the observers of
/// that, however many others there are.
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
  /// Those of single objects, by model and row.
  private var ofRows: [Int: [Int64: [Known]]] = [:]
  /// Those of single objects that may have something to tell.
  private var noted: [Known] = []
  /// One that was active when it was looked for last.
  private var example = Known()
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
    example = known
    if let row = observer.onlyRow {
      ofRows[row.model, default: [:]][row.row, default: []].append(known)
    } else {
      ofAnything.append(known)
    }
  }

  private mutating func forgetEnded() {
    ofAnything.removeAll { $0.active == nil }
    ofRows = ofRows.compactMapValues { rows in
      let kept = rows.compactMapValues { known in
        let kept = known.filter { $0.active != nil }
        return kept.isEmpty ? nil : kept
      }
      return kept.isEmpty ? nil : kept
    }
    count = ofAnything.count
    for rows in ofRows.values { for known in rows.values { count += known.count } }
    nextCleaning = max(Self.minimumCleaning, 2 * count)
    deliveries = 0
  }

  /// After observers were told: those that have ended are looked for after as many deliveries as there are observers.
  mutating func noteDelivery() {
    noted.removeAll { known in
      if let observer = known.active, observer.hasPending { return false }
      known.observer?.isNoted = false
      return true
    }
    deliveries += 1
    if deliveries >= max(count, Self.minimumCleaning) { forgetEnded() }
  }

  /// Whether all have ended.
  mutating func isEmpty() -> Bool {
    if example.active != nil { return false }
    example = Known(observer: anyActive)
    return example.observer == nil
  }

  private var anyActive: Observer? {
    for known in ofAnything { if let observer = known.active { return observer } }
    for rows in ofRows.values {
      for known in rows.values { for one in known { if let observer = one.active { return observer } } }
    }
    return nil
  }

  /// All of them, in the order in which they came.
  var all: [Observer] {
    var found = ofAnything.compactMap(\.active)
    for rows in ofRows.values { for known in rows.values { found += known.compactMap(\.active) } }
    return found.sorted { $0.number < $1.number }
  }

  // MARK: Who is concerned

  /// Those that a change may concern.
  func concerned(by record: ChangeRecord) -> [Observer] {
    var found = ofAnything.compactMap(\.active)
    for (model, changes) in record.models {
      guard let rows = ofRows[model] else { continue }
      let changed = changes.touchedRows
      if changed.count <= rows.count {
        for range in changed.ranges {
          for row in range { found += rows[row]?.compactMap(\.active) ?? [] }
        }
      } else {
        for (row, known) in rows where changed.contains(row) { found += known.compactMap(\.active) }
      }
    }
    return found
  }

  /// An observer has got something to tell.
  mutating func note(_ observer: Observer) {
    guard observer.onlyRow != nil, !observer.isNoted else { return }
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
