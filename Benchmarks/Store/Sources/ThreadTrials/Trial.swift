import BenchmarkModels
import Dispatch
import Foundation
import Strata

/// Each transaction takes from the size of one mail what it adds to that of another, so that a reader that sees half of one finds
/// another sum.
final class Trial: @unchecked Sendable {
  private struct State {
    var problems: [String] = []
    var reads = 0
    var calls = 0
    var writing = writerCount + 1
  }

  // Docs promise that what is frozen is read in several places at once; its type cannot say so, because live objects are of it, too.
  private struct Frozen: @unchecked Sendable {
    let mails: Results<Mail>
    let shelf: Shelf
    let boss: Person
  }

  private static let dogs = (0..<50).map { "dog \($0)" }

  private let path: String
  private let transactions: Int
  // Not `Mutex`, which the sanitizer does not see.
  private let lock = NSLock()
  private var shared = State()

  init(path: String, transactions: Int) {
    self.path = path
    self.transactions = transactions
  }

  var problems: [String] { withState { $0.problems } }
  var reads: Int { withState { $0.reads } }
  var calls: Int { withState { $0.calls } }

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&shared)
  }

  private var isWriting: Bool { withState { $0.writing > 0 } }

  func fail(_ problem: String) { withState { $0.problems.append(problem) } }

  private func open() throws -> Store {
    var configuration = Store.Configuration(path: path, schema: BenchSchema.self)
    // Under the sanitizer, with more writers than processors, a turn may take long to come.
    configuration.busyTimeout = .seconds(120)
    return try Store(configuration: configuration)
  }

  func prepare() throws {
    let store = try open()
    defer { store.close() }
    try store.write {
      for number in 0..<shelves {
        try store.add(Mail(subject: "mail \(number)", size: total / shelves, received: number))
      }
      try store.add(
        Shelf(
          number: 7, dogs: Self.dogs.map { Dog(name: $0) }, tags: Self.dogs,
          scores: ["a": 1, "b": 2]))
      let boss = Person(id: 1, name: "boss", age: 60, score: 1)
      boss.boss = boss
      boss.dogs.append(Dog(name: "Rex"))
      try store.add(boss)
    }
  }

  func run() async throws {
    let store = try open()
    let queue = DispatchQueue(label: "observer")
    let token = try store.objects(Mail.self).sorted(by: \.size).observe(on: queue) { _ in
      self.withState { $0.calls += 1 }
    }
    guard let shelf = store.objects(Shelf.self).first, let boss = store.objects(Person.self).first
    else {
      return fail("what was added is not there")
    }
    // None of their values or collections was asked for yet.
    let frozen = Frozen(
      mails: store.objects(Mail.self).freeze(), shelf: shelf.freeze(), boss: boss.freeze())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<writerCount {
        group.addTask { await self.onThread { try self.write(number) } }
      }
      for _ in 0..<readerCount {
        group.addTask { await self.onThread { try self.read() } }
        group.addTask { await self.onThread { try self.readFrozen(frozen) } }
        group.addTask { await self.onThread { try self.readWhereItStands() } }
      }
      group.addTask { await self.writeAsynchronously() }
    }
    token.invalidate()
    queue.sync {}
    try store.refresh()
    let sum = store.objects(Mail.self).reduce(into: 0) { $0 += $1.size }
    if sum != total { fail("the sizes sum up to \(sum), not \(total)") }
    let expected = writerCount * transactions + transactions
    let notes = store.objects(Note.self).count
    if notes != expected { fail("\(notes) notes of \(expected)") }
    store.close()
  }

  private func onThread(_ body: @escaping @Sendable () throws -> Void) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        do { try body() } catch { self.fail("\(error)") }
        continuation.resume()
      }
      thread.start()
    }
  }

  // MARK: - What each does

  private func write(_ number: Int) throws {
    defer { withState { $0.writing -= 1 } }
    let store = try open()
    defer { store.close() }
    for round in 0..<transactions {
      try store.write { try change(store, number * 31 + round) }
    }
  }

  private func writeAsynchronously() async {
    defer { withState { $0.writing -= 1 } }
    do {
      let store = try open()
      for round in 0..<transactions {
        try await store.writeAsync { try self.change(store, round * 17) }
      }
      store.close()
    } catch {
      fail("\(error)")
    }
  }

  private func change(_ store: Store, _ number: Int) throws {
    let mails = store.objects(Mail.self)
    let (from, to) = (mails[number % shelves], mails[(number * 7 + 1) % shelves])
    from.size -= 3
    to.size += 3
    try store.add(Note(text: "note \(number)"))
  }

  private func read() throws {
    let store = try open()
    defer { store.close() }
    let mails = store.objects(Mail.self)
    while isWriting {
      try store.refresh()
      let sum = mails.reduce(into: 0) { $0 += $1.size }
      if sum != total { fail("a reader sees a sum of \(sum), not \(total)") }
      let sorted = mails.where { $0.size > 900 }.sorted(by: \.size).first
      if let sorted, sorted.size <= 900 { fail("a filter lets \(sorted.size) through") }
      withState { $0.reads += 1 }
    }
  }

  /// One snapshot, read by several threads at once.
  private func readFrozen(_ frozen: Frozen) throws {
    let mails = frozen.mails
    while isWriting {
      let sizes = mails.map(\.size)
      if sizes != Array(repeating: total / shelves, count: shelves) {
        fail("a snapshot has changed")
      }
      let (shelf, boss) = (frozen.shelf, frozen.boss)
      if shelf.number != 7 || shelf.dogs.map(\.name) != Self.dogs || shelf.tags.count != 50
        || !shelf.tags.contains("dog 7") || shelf.scores["b"] != 2
        || shelf.dogs.firstIndex(of: shelf.dogs[9]) != 9
      {
        fail("a frozen shelf has changed")
      }
      if boss.name != "boss" || boss.boss?.boss != boss || boss.dogs[0].name != "Rex"
        || boss.reports.map(\.name) != ["boss"] || Set([boss]).count != 1
        || boss.detached().age != 60
      {
        fail("a frozen person has changed")
      }
      withState { $0.reads += 1 }
    }
  }

  /// A store that freezes while others write, and stays on its version: it reads and observes on the connection of the frozen one, which is
  /// read by another thread.
  private func readWhereItStands() throws {
    let store = try open()
    defer { store.close() }
    while isWriting {
      let mails = store.objects(Mail.self)
      let sizes = mails.map(\.size)
      let frozen = Frozen(
        mails: mails.freeze(), shelf: store.objects(Shelf.self)[0].freeze(),
        boss: store.objects(Person.self)[0].freeze())
      let ended = DispatchSemaphore(value: 0)
      let reader = Thread {
        if frozen.mails.map(\.size) != sizes { self.fail("what is frozen has changed") }
        if frozen.shelf.dogs.count != 50 { self.fail("a frozen shelf has lost dogs") }
        ended.signal()
      }
      reader.start()
      let token = try mails.sorted(by: \.size).observe { _ in }
      if mails.map(\.size) != sizes || mails[3].size != sizes[3] {
        fail("a store that froze has moved")
      }
      if store.objects(Shelf.self)[0].dogs.map(\.name) != Self.dogs { fail("a shelf has changed") }
      ended.wait()
      token.invalidate()
      try store.refresh()
      withState { $0.reads += 1 }
    }
  }
}
