import Dispatch
import Foundation
import Strata
import StrataTestModels
import Testing

/// Two processes write one file and observe it: each is told of each transaction of both once, and whole.
///
/// `STRATA_LONG_TESTS=1` makes it 10,000 transactions.
@Suite struct TwoProcessTests {
  private static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil

  @Test func nothingIsLostRepeatedOrTorn() async throws {
    let test = try TestStore()
    try test.store.write {
      for name in ["left", "right"] { try test.store.add(Dog(name: name)) }
    }
    test.store.close()
    let path: String = test.folder.file("a.db")
    let count: Int = Self.isLong ? 5_000 : 150

    // Both wait for each other, which must not take a thread of the tests.
    async let first = #expect(processExitsWith: .success) {
      [path = path as String, count = count as Int] in
      try Participant.run(path, "this", count)
    }
    async let second = #expect(processExitsWith: .success) {
      [path = path as String, count = count as Int] in
      try Participant.run(path, "other", count)
    }
    _ = await (first, second)
    withExtendedLifetime(test) {}
  }
}

/// A process's part: it writes, and compares what its observers are told with what was written.
private final class Participant {
  /// Each transaction adds an entry, and one to the age of both dogs.
  static func run(_ path: String, _ name: String, _ count: Int) throws {
    let store = try Store(configuration: .patient(path))
    let witness = Participant(store)
    let (queued, queue) = (QueueWitness(), DispatchQueue(label: "told"))
    let tokens = [
      try store.objects(Entry.self).observe { witness.note($0) },
      try store.objects(Dog.self).observe { witness.noteDogs($0) },
      try store.objects(Entry.self).observe(on: queue) { queued.note($0) },
    ]
    // Behind all transactions nothing would follow the first call.
    try #require(queued.hasBegun.wait(timeout: .now() + 600) == .success)
    for number in 0..<count {
      try store.write {
        try store.add(Entry(account: name, number: number))
        for dog in store.objects(Dog.self) { dog.age += 1 }
      }
    }
    // The other one may not be done yet, nor begun while other tests run: up to ten minutes.
    for _ in 0..<60_000
    where witness.problem == nil && queue.sync(execute: { queued.problem }) == nil
      && (witness.seen.count < 2 * count || queue.sync(execute: { queued.end }) != 2 * count)
    {
      usleep(10_000)
      try store.refresh()
    }
    let wanted = ["this", "other"].flatMap { name in (0..<count).map { "\(name) \($0)" } }
    try #require(witness.problem == nil)
    try #require(witness.seen == Set(wanted))
    try #require(witness.dogCalls > 1)
    try #require(queue.sync { queued.problem } == nil)
    try #require(queue.sync { queued.end } == 2 * count)
    for token in tokens { token.invalidate() }
    store.close()
  }

  let dogs: Results<Dog>
  private(set) var seen: Set<String> = []
  private(set) var dogCalls = 0
  private(set) var problem: String?

  private init(_ store: Store) { dogs = store.objects(Dog.self) }

  private func note(_ change: CollectionChange<Results<Entry>>) {
    switch change {
    case .initial(let entries): for entry in entries { note(entry) }
    case .update(let entries, let deletions, let insertions, let modifications, let moves):
      if insertions.isEmpty || !deletions.isEmpty || !modifications.isEmpty || !moves.isEmpty {
        problem = "entries only come, and are told \(change)"
      }
      for index in insertions { note(entries[index]) }
      // What is seen in the call is one version: each entry has its counts.
      if seen.count != entries.count { problem = "\(seen.count) are told of \(entries.count)" }
      checkDogs()
    case .error(let error): problem = error.description
    }
  }

  private func note(_ entry: Entry) {
    let name = "\(entry.account) \(entry.number ?? -1)"
    if !seen.insert(name).inserted { problem = "\(name) is told twice" }
    if let number = entry.number, number > 0, !seen.contains("\(entry.account) \(number - 1)") {
      problem = "\(name) is told before the one before it"
    }
  }

  private func checkDogs() {
    let ages = dogs.map(\.age)
    if ages != [seen.count, seen.count] { problem = "\(ages) with \(seen.count) entries" }
  }

  private func noteDogs(_ change: CollectionChange<Results<Dog>>) {
    dogCalls += 1
    guard case .update(_, let deletions, let insertions, let modifications, let moves) = change
    else {
      return
    }
    if modifications != [0, 1] || !deletions.isEmpty || !insertions.isEmpty || !moves.isEmpty {
      problem = "both dogs change, and \(modifications) is told"
    }
  }
}

/// Looks on a queue at the positions of what comes: each follows the one before it.
private final class QueueWitness: @unchecked Sendable {
  /// Told at the first call.
  let hasBegun = DispatchSemaphore(value: 0)
  /// Behind the newest entry that was told.
  private(set) var end: Int?
  private(set) var problem: String?

  func note(_ change: CollectionChangeSet<Results<Entry>>) {
    switch change {
    case .initial: hasBegun.signal()
    case .update(_, let deletions, let insertions, let modifications, let moves):
      guard let first = insertions.first, let last = insertions.last, deletions.isEmpty,
        modifications.isEmpty, moves.isEmpty, end == nil || end == first,
        last - first + 1 == insertions.count
      else {
        problem = "\(change) behind \(end ?? -1)"
        return
      }
      end = last + 1
    case .error(let error): problem = error.description
    }
  }
}
