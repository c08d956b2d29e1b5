import Dispatch
public import Observation
import StrataSQLite
import Synchronization

/// Objects are observable by Swift's Observation: `withObservationTracking` and SwiftUI see which properties are read.
extension Object: Observable {}

/// Whether reads are being tracked on this thread.
///
/// Observation says so only by what it does: it hashes the key path of a tracked access, and with it the marker in it.
enum ObservationTracker {
  private struct Marker: Hashable {
    static let reads = Atomic<UInt64>(0)

    static func == (first: Marker, second: Marker) -> Bool { true }

    func hash(into hasher: inout Hasher) { Self.reads.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The marker of one question: what another thread tracks does not hash it.
  private final class Question: Hashable, Sendable {
    private let isHashed = Atomic<Bool>(false)

    var isAnswered: Bool { isHashed.load(ordering: .relaxed) }

    // What is tracked keeps one of them, however many were asked.
    static func == (first: Question, second: Question) -> Bool { true }

    func hash(into hasher: inout Hasher) { isHashed.store(true, ordering: .relaxed) }
  }

  private final class Probe: Observable, Sendable {
    let registrar = ObservationRegistrar()

    subscript(marker: Marker) -> Void { () }
    subscript(question: Question) -> Void { () }
  }

  private static let probe = Probe()
  // Key paths are immutable.
  nonisolated(unsafe) private static let path: KeyPath<Probe, Void> = \Probe[Marker()]

  /// Most reads are not tracked, which the marker that all threads share says at once.
  static var isTracking: Bool {
    let before = Marker.reads.load(ordering: .relaxed)
    probe.registrar.access(probe, keyPath: path)
    return Marker.reads.load(ordering: .relaxed) != before && isTrackingHere
  }

  /// The same where another thread may have hashed the marker at the same moment. A key path of its own takes some hundred nanoseconds.
  @inline(never) private static var isTrackingHere: Bool {
    let question = Question()
    probe.registrar.access(probe, keyPath: \Probe[question])
    return question.isAnswered
  }
}

/// One place that tracked reads depend on.
final class TrackedPlace: Observable {
  private let registrar = ObservationRegistrar()
  private var content: Void { () }

  // Key paths are immutable.
  nonisolated(unsafe) private static let path: KeyPath<TrackedPlace, Void> = \TrackedPlace.content

  func noteRead() { registrar.access(self, keyPath: Self.path) }

  func tellOfChange() { registrar.withMutation(of: self, keyPath: Self.path) {} }
}

/// What tracked reads of a store depend on. It is told of changes as an observer, after commits and when the store moves on.
final class TrackedReads: Observer {
  /// Places that are told apart; with more, any change of their model counts, until all are told.
  static let maximumPlaces = 16_384
  /// Stands for the coming and going of a model's objects, or of one of them, in the place of a property.
  static let membership = -1
  /// Stands for anything of a model.
  static let anything = -2

  /// By model, row and property.
  private var ofRows: [Int: [Int64: [Int: TrackedPlace]]] = [:]
  /// By model and property, of any row.
  private var ofModels: [Int: [Int: TrackedPlace]] = [:]
  private var count = 0
  /// Reads that have found no room since all were told.
  private var crowded = 0
  /// How many of them are borne before all are told. It grows while what is followed at one time has no room: then that tells more than
  /// is saved.
  private(set) var patience: Int

  init(_ state: ObservationState, patience: Int) {
    self.patience = patience
    super.init(state)
  }

  var isEmpty: Bool { ofRows.isEmpty && ofModels.isEmpty }

  func noteRead(of row: Int64, _ property: Int, in model: Int) {
    if let place = ofRows[model]?[row]?[property] { return place.noteRead() }
    guard count < Self.maximumPlaces else {
      crowded += 1
      return noteRead(of: Self.anything, in: model)
    }
    let place = TrackedPlace()
    ofRows[model, default: [:]][row, default: [:]][property] = place
    count += 1
    place.noteRead()
  }

  func noteRead(of property: Int, in model: Int) {
    let place = ofModels[model]?[property] ?? TrackedPlace()
    ofModels[model, default: [:]][property] = place
    place.noteRead()
  }

  /// Notes that a primary key was looked up.
  ///
  /// - Parameter found: the object that has it; nil where none has, until one comes or gets it.
  func noteLookup(of found: Object?, _ access: ModelAccess) {
    for property in access.keyProperties + [Self.membership] {
      if let found {
        noteRead(of: found.row, property, in: access.index)
      } else {
        noteRead(of: property, in: access.index)
      }
    }
  }

  override func deliver() { tell(takePending()) }

  /// Tells those who have read what was changed; each is told once.
  func tell(_ record: ChangeRecord) {
    var places: [TrackedPlace] = []
    for (model, changes) in record.models {
      takeModel(model, changes, &places)
      takeRows(model, changes, &places)
    }
    makeRoom(&places)
    if isEmpty { state.end() }
    // They may read and track again.
    for place in places { place.tellOfChange() }
  }

  /// Most places may be of views that are gone, of which Observation does not tell. All are told and forgotten once, so that those
  /// that are followed have room when they are read again.
  private func makeRoom(_ places: inout [TrackedPlace]) {
    if crowded == 0 {
      patience = 0
      return
    }
    // Observation follows what is being read when the tracked function has ended; until then nothing could be told.
    guard crowded > patience, !ObservationTracker.isTracking else { return }
    for rows in ofRows.values {
      for properties in rows.values { places += properties.values }
    }
    for properties in ofModels.values { places += properties.values }
    ofRows = [:]
    ofModels = [:]
    count = 0
    crowded = 0
    patience = min(max(1, patience * 2), Self.maximumPlaces)
  }

  private func takeModel(
    _ model: Int, _ changes: ChangeRecord.Changes, _ places: inout [TrackedPlace]
  ) {
    guard let properties = ofModels[model] else { return }
    for (property, place) in properties {
      let isChanged =
        switch property {
        case Self.anything: true
        case Self.membership: changes.hasOthers
        default:
          changes.isEverything || changes.updates.contains { $0.properties.contains(property) }
        }
      guard isChanged else { continue }
      places.append(place)
      ofModels[model]?[property] = nil
    }
    if ofModels[model]?.isEmpty == true { ofModels[model] = nil }
  }

  private func takeRows(
    _ model: Int, _ changes: ChangeRecord.Changes, _ places: inout [TrackedPlace]
  ) {
    // Taken out and put back: places are removed from a table that nothing else holds, which would be copied.
    guard var rows = ofRows.removeValue(forKey: model) else { return }
    if changes.hasUnknown {
      for row in rows.keys { take(row, of: &rows, { _ in true }, &places) }
    } else {
      for range in changes.others {
        for row in Self.rows(of: rows, in: range) { take(row, of: &rows, { _ in true }, &places) }
      }
      for update in changes.updates {
        for row in Self.rows(of: rows, in: update.rows) {
          take(row, of: &rows, { $0 >= 0 && update.properties.contains($0) }, &places)
        }
      }
    }
    if !rows.isEmpty { ofRows[model] = rows }
  }

  private static func rows(
    of rows: [Int64: [Int: TrackedPlace]], in range: ClosedRange<Int64>
  ) -> [Int64] {
    let (width, isWide) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return !isWide && width < rows.count
      ? range.filter { rows[$0] != nil } : rows.keys.filter(range.contains)
  }

  private func take(
    _ row: Int64, of rows: inout [Int64: [Int: TrackedPlace]], _ isChanged: (Int) -> Bool,
    _ places: inout [TrackedPlace]
  ) {
    guard var properties = rows.removeValue(forKey: row) else { return }
    for (property, place) in properties where isChanged(property) {
      places.append(place)
      properties[property] = nil
      count -= 1
    }
    if !properties.isEmpty { rows[row] = properties }
  }

  override func end(with error: StoreError) { endAll() }

  /// Ends, and tells those who have asked whether objects are there: the file cannot be read any more. What was read of it stays as it is.
  func endAll() {
    var places: [TrackedPlace] = []
    for rows in ofRows.values {
      for properties in rows.values {
        if let place = properties[Self.membership] { places.append(place) }
      }
    }
    // Those that found no place of their own.
    for properties in ofModels.values {
      if let place = properties[Self.anything] { places.append(place) }
    }
    ofRows = [:]
    ofModels = [:]
    state.end()
    for place in places { place.tellOfChange() }
  }
}

extension Store {
  /// Notes that a property of an object is read, where reads are tracked.
  @inline(__always) func noteRead(of object: Object, _ property: Int) {
    if isFrozen || isClosed { return }
    if ObservationTracker.isTracking { noteTrackedRead(of: object, property) }
  }

  @inline(never) private func noteTrackedRead(of object: Object, _ property: Int) {
    guard let access = object.managedAccess else { return }
    beginTracking()?.noteRead(of: object.row, property, in: access.index)
  }

  /// What notes a look-up by primary key that follows; nil where reads are not tracked.
  @inline(__always) func trackedReadsOfLookup() -> TrackedReads? {
    if isFrozen || isClosed || !ObservationTracker.isTracking { return nil }
    return beginTracking()
  }

  /// Notes that a list, set or map is read.
  @inline(never) func noteTrackedRead(of row: Int64, _ property: Int, _ access: ModelAccess) {
    beginTracking()?.noteRead(of: row, property, in: access.index)
  }

  /// Notes that the answers of a query are read.
  func noteTrackedRead(of dependencies: QueryDependencies) {
    guard let reads = beginTracking() else { return }
    dependencies.forEachSource { model, property in
      reads.noteRead(of: property ?? TrackedReads.membership, in: model)
    }
  }

  /// What tracked reads depend on, from the first one on until all are told.
  private func beginTracking() -> TrackedReads? {
    // Nothing changes any more of a file that cannot be read.
    if isClosed || snapshot.outdated != nil { return nil }
    if let trackedReads = following.trackedReads, trackedReads.state.isActive {
      return trackedReads
    }
    do {
      let observers = try startObserving()
      let reads = TrackedReads(
        ObservationState(of: following.identity), patience: following.trackedReads?.patience ?? 0)
      observers.add(reads)
      following.trackedReads = reads
      followOthersOnMainActor()
      return reads
    } catch {
      fail(error)
      return nil
    }
  }

  /// Views are shown on the main actor: there the store moves on by itself.
  private func followOthersOnMainActor() {
    guard MainQueue.isOfMainActor, !following.isFollowing else { return }
    // It is the main actor that runs.
    nonisolated(unsafe) let store = self
    MainActor.assumeIsolated { store.followOthers(isolation: #isolation) }
  }
}

/// Whether code runs on the main queue: after `dispatchMain()`, on Linux, that is not always on the main thread.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()
  private static let isMarked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  /// The main thread and the main queue are the main actor's.
  static var isOfMainActor: Bool { ThreadIdentity.isMain || isCurrent }

  private static var isCurrent: Bool {
    isMarked
    return DispatchQueue.getSpecific(key: key) == true
  }
}
