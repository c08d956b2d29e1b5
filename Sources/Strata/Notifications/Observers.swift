import StrataSQLite
import StrataSchema

/// All observers of one store.
final class Observers {
  /// How often observers that write make each other write again before the rest waits for the next occasion.
  static let maximumRounds = 100
  /// With fewer questions none is forgotten.
  private static let minimumCleaning = 16

  private struct KnownAnswers {
    weak var shared: SharedAnswers?
  }

  private var register = ObserverRegister()
  /// One that was active when it was looked for last.
  private weak var example: Observer?
  /// What observers of one question share.
  private var answers: [SharedAnswers.Key: KnownAnswers] = [:]
  /// How many questions are known when those without observers are looked for next.
  private var nextCleaningOfAnswers = Observers.minimumCleaning
  /// The newest transaction of the file that they know of.
  var transaction: Int64 = 0
  /// What the watch said when others' changes were last compared with the version on which the store stands.
  var mark: Int64?
  /// What the watch says of the version up to which the last one was compared, until the store stands again; nil where it was not compared.
  var compared: Int64?
  /// How far the log reached before others' changes were looked for last; nil where there is none.
  var logMark: LogMark?
  private(set) var isDelivering = false
  private var isAgain = false
  /// Whether something has happened since it was last set to false.
  private var hasNoted = false
  /// How often something has happened.
  private var notes = 0
  /// The same when the last delivery had ended.
  private var notesOfDelivery = 0
  /// Whether the last delivery has left something, because observers made each other write all the time, and nothing has happened since.
  var hasOnlyRest: Bool { hasRest && notes == notesOfDelivery }
  private var hasRest = false
  /// How often observers were told once more before a write, in all writes of one delivery.
  private var repetitions = 0

  var isEmpty: Bool {
    if example?.state.isActive == true { return false }
    let found = register.anyActive
    example = found
    if found == nil { register.removeAll() }
    return found == nil
  }

  func add(_ observer: Observer) {
    register.add(observer)
    example = observer
  }

  /// Before the first of new ones comes, who knows of nothing that was before.
  func beginAnew() {
    mark = nil
    compared = nil
    logMark = nil
    if !isDelivering { hasRest = false }
  }

  /// What those who observe a question share, for as long as one of them is there.
  func answers(of key: SharedAnswers.Key) -> SharedAnswers {
    if let shared = answers[key]?.shared { return shared }
    let shared = SharedAnswers()
    if answers.count >= nextCleaningOfAnswers {
      answers = answers.filter { $0.value.shared != nil }
      nextCleaningOfAnswers = max(Self.minimumCleaning, 2 * answers.count)
    }
    answers[key] = KnownAnswers(shared: shared)
    return shared
  }

  /// The store has changed objects.
  /// - Parameter states: of those who know.
  func note(_ record: ChangeRecord, except states: [ObservationState] = []) {
    if record.isEmpty { return }
    notes &+= 1
    var record = record
    record.shareIndex()
    for observer in register.concerned(by: record) {
      if states.contains(where: { $0 === observer.state }) {
        observer.endWhereNothingFollows()
        continue
      }
      note(record, for: observer)
      hasNoted = true
    }
  }

  /// One observer has to hear of changes.
  func note(_ record: ChangeRecord, for observer: Observer) {
    observer.pending.merge(record)
    register.note(observer)
  }

  /// Calls a function with each observer that has something to tell, in the order in which they came; also with those that get it meanwhile and come
  /// behind the one that is being called.
  private func forEachPending(_ body: (Observer) -> Void) {
    let end = register.nextNumber
    var turn = register.pending(0..<end)
    var notesOfTurn = notes
    var position = 0
    while position < turn.count {
      let observer = turn[position]
      position += 1
      if observer.state.isActive && observer.hasPending { body(observer) }
      if notes != notesOfTurn {
        turn = register.pending(observer.number + 1..<end)
        notesOfTurn = notes
        position = 0
      }
    }
  }

  /// Tells all observers what is pending, also what observers do to each other.
  func deliver() {
    if isDelivering {
      isAgain = true
      return
    }
    isDelivering = true
    defer { isDelivering = false }
    repetitions = 0
    var rounds = 0
    repeat {
      isAgain = false
      rounds += 1
      forEachPending { $0.deliver() }
    } while isAgain && rounds < Self.maximumRounds
    hasRest = isAgain
    notesOfDelivery = notes
    register.noteDelivery()
  }

  /// Makes the first call of an observer. What happens in it is told behind it, as with every other call.
  func begin(with observer: Observer, _ call: () -> Void) {
    let isWithin = isDelivering
    if !isWithin {
      repetitions = 0
      isAgain = false
    }
    isDelivering = true
    observer.isCalled = true
    call()
    observer.isCalled = false
    isDelivering = isWithin
    if !isWithin, isAgain { deliver() }
  }

  /// Before a write: all hear what has happened, except for those that are being called, which hear of it later, together with what is
  /// written now. Those of them that are not to be told of this write look at what they were not told yet, so that nothing else is left out with it.
  ///
  /// - Parameter states: of those that are not to be told; nil where only the commit says it.
  func deliverBeforeWrite(except states: [ObservationState]?) {
    guard isDelivering else { return deliver() }
    repeat {
      // What one of them writes when it hears, those hear that came before it, too.
      hasNoted = false
      repetitions += 1
      forEachPending { observer in
        if !observer.isCalled {
          observer.deliver()
        } else if states?.contains(where: { $0 === observer.state }) ?? true {
          observer.settle()
        }
      }
    } while hasNoted && repetitions < Self.maximumRounds
  }

  /// Tells those that are called why nothing follows.
  func end(with error: StoreError) {
    for observer in register.all where observer.state.isActive { observer.end(with: error) }
    register.noteDelivery()
  }

  /// Ends all without a call, also for a delivery that is running: the store is closed.
  func stop() {
    for observer in register.all { observer.state.end() }
  }

  /// Whether an observer has looked at all that came before the running transaction, so that this alone can be left out for it. One that is being called
  /// and writes by a body that ends its transaction itself has not.
  func canSkip(_ state: ObservationState) -> Bool {
    register.pending(0..<register.nextNumber).allSatisfy {
      $0.state !== state || $0.pending.isEmpty
    }
  }

  /// Lets observers pass over what the running transaction has done.
  /// - Parameter record: what that is.
  /// - Returns: what undoes it, when the transaction fails.
  func skip(_ states: [ObservationState], _ record: ChangeRecord) throws -> [() -> Void] {
    var undo: [() -> Void] = []
    do {
      for observer in register.concerned(by: record)
      where states.contains(where: { $0 === observer.state }) {
        undo.append(try observer.skip(record))
      }
    } catch {
      // The transaction is cancelled now: those that have looked already were not to look.
      for undo in undo.reversed() { undo() }
      throw error
    }
    return undo
  }
}

extension Store {
  /// Begins to follow changes, and stands on a version of which it is known whether another connection has committed since.
  func startObserving() throws -> Observers {
    guard prepareToRead() else {
      try throwPendingError()
      throw StoreError.closed
    }
    if let observers = following.observers, !observers.isEmpty { return observers }
    // The same ones for as long as the store lives: one that is being added looks at what it observes first, and what it reads may be
    // tracked, which begins to observe, too. Where the only one has ended in its own call, what comes is told behind that call.
    let observers = following.observers ?? Observers()
    observers.beginAnew()
    lockIfShared()
    defer { unlockIfShared() }
    observers.transaction = try StrataMetadata.counter(.transaction, of: database)
    if snapshot.pinsVersions {
      if snapshot.versionWatch == nil {
        try checkIsInPlace()
        snapshot.versionWatch = try VersionWatch(connections)
      }
      if snapshot.pinMark == nil, let watch = snapshot.versionWatch {
        let mark = try watch.newest()
        let newest = try watch.reading { try StrataMetadata.counter(.transaction, of: $0) }
        if newest == observers.transaction { snapshot.pinMark = mark }
      }
    }
    sink.isPrecise = true
    following.observers = observers
    return observers
  }

  /// After a commit that has changed something.
  func tellOfCommit() {
    signalOthers()
    standForObservers()
    tellOfAddition()
  }

  /// After a transaction that has stored nothing.
  func tellOfNothing() {
    // Without versions the others could not read meanwhile, and have put off what came before.
    if !snapshot.pinsVersions { signalOthers() }
    standForObservers()
    tellOfAddition()
  }

  /// Those who have tracked what was read of objects before the store had them: what they follow from now on is the store's. No transaction
  /// is open in their calls.
  private func tellOfAddition() {
    if writing.trackedPlaces.isEmpty { return }
    let places = writing.trackedPlaces
    writing.trackedPlaces = []
    for place in places { place.tellOfChange() }
  }

  private func signalOthers() {
    if let listener = following.listener {
      listener.signalOthers()
    } else {
      CommitSignals.shared.signal(fileKey)
    }
  }

  /// After a transaction: observers stand on a version, so that what comes next is compared with it, and hear what has come, also those
  /// that wait in a task, which looked away while the transaction was open.
  private func standForObservers() {
    guard activeObservers != nil, !isKeptFromReading() else { return }
    activeObservers?.deliver()
  }

  /// Whether another connection keeps the store from reading, as one in memory does that has begun a transaction: what is pending is told with the next look,
  /// and that it could not be read is no error of the program's.
  private func isKeptFromReading() -> Bool {
    withoutEarlierError { () -> Bool in
      if prepareToRead() { return false }
      guard let error = pending.error, case .busy = storeError(error) else { return false }
      _ = pending.takeError()
      return true
    }
  }

  /// The observers; nil while there are none.
  var activeObservers: Observers? {
    guard let observers = following.observers, !observers.isEmpty else { return nil }
    return observers
  }

  /// Whether others have certainly committed what observers do not know, where the log has nothing new: before the version on which the store begins to stand,
  /// and after the last one, or after that with which it was compared.
  ///
  /// - Parameters:
  ///   - mark: what the watch said just before the store began to stand.
  ///   - isOther: whether others may have committed since it stood last.
  func hasUntold(_ mark: Int64?, _ isOther: Bool) throws -> Bool {
    guard snapshot.pinsVersions, let observers = following.observers else { return false }
    defer { observers.compared = nil }
    guard isOther else { return false }
    if let compared = observers.compared {
      // Asked now, the watch may know of a commit behind the version, which is told later; but not where others cannot write.
      let newest = writing.holdsWriteLock ? try snapshot.versionWatch?.newest() : mark
      if newest == compared { return false }
    } else if snapshot.connectionChanged, mark == snapshot.pinMark {
      // A connection knows exactly whether others have committed since it stood last; one that has not stood there does not.
      return false
    }
    guard let earlier = observers.logMark, let now = database.logMark else { return true }
    return !now.isOnlyBegunAnew(since: earlier)
  }

  /// What others did up to the version on which the store stands now, as the log says it.
  /// - Parameter isUntold: whether others have committed what a comparison did not find.
  func noteLoggedChanges(of observers: Observers, _ isUntold: Bool) throws {
    let newest = try StrataMetadata.counter(.transaction, of: database)
    if newest == observers.transaction {
      // They do not feed the log, and the version before is not held any more.
      if isUntold { observers.note(.everything(of: definition.schema)) }
      return
    }
    let entries = try ChangeLog.entries(
      after: observers.transaction, newest: newest, in: database)
    observers.transaction = newest
    observers.note(
      entries.map { ChangeRecord($0, of: definition.schema) } ?? .everything(of: definition.schema))
  }

  /// Before the store leaves the version on which it stands: what others did, compared with it where the log does not say.
  ///
  /// Programs that know nothing of the log, as the `sqlite3` shell, are noticed here.
  func lookForChanges(_ observers: Observers) throws {
    guard snapshot.isReading, let versionWatch = snapshot.versionWatch else { return }
    try reserveReplacement()
    lockIfShared()
    defer { unlockIfShared() }
    let logMark = database.logMark
    // Until all up to there is known.
    observers.logMark = nil
    let mark = try versionWatch.newest()
    if mark == snapshot.pinMark || mark == observers.mark {
      observers.logMark = logMark
      return
    }
    var compared: Int64?
    let record = try versionWatch.reading { newest -> ChangeRecord? in
      // Another schema: what comes next says so.
      guard try newest.tablesVersion() == snapshot.tablesVersion else { return nil }
      // Of this version: others may have committed since the watch was asked above.
      compared = try newest.dataVersion()
      let transaction = try StrataMetadata.counter(.transaction, of: newest)
      let entries = try ChangeLog.entries(
        after: observers.transaction, newest: transaction, in: newest)
      defer { observers.transaction = transaction }
      if let entries, !entries.isEmpty {
        var record = ChangeRecord(entries, of: definition.schema)
        let compared = record.models.filter(\.value.isEverything).map(\.key)
        for model in compared {
          guard let access = accesses[model] else { continue }
          record.replace(model, by: try VersionComparison(access).changes(database, newest))
        }
        if !compared.isEmpty { try noteHoldersInAny(in: &record) }
        return record
      }
      var record = ChangeRecord()
      for case let access? in accesses {
        record.replace(access.index, by: try VersionComparison(access).changes(database, newest))
      }
      try noteHoldersInAny(in: &record)
      return record
    }
    guard let record else { return }
    observers.mark = mark
    observers.logMark = logMark
    observers.compared = compared
    observers.note(record)
  }
}
