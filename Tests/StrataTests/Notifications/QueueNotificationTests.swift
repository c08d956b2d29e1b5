import Dispatch
import Foundation
import Strata
import StrataTestModels
import Testing

/// Observing on a queue: what is told may travel.
@Suite struct QueueNotificationTests {
  let test: TestStore
  let store: Store
  let queue = DispatchQueue(label: "told")

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write { for name in ["Rex", "Mo"] { try store.add(Dog(name: name)) } }
  }

  @Test func aQueueIsToldWithoutARefresh() async throws {
    let (told, continuation) = AsyncStream<String>.makeStream()
    let queue = queue
    let token = try store.objects(Dog.self).sorted(by: \.name).observe(on: queue) { change in
      dispatchPrecondition(condition: .onQueue(queue))
      switch change {
      case .initial: continuation.yield("initial")
      case .update(_, let deletions, let insertions, let modifications, let moves):
        continuation.yield("\(deletions) \(insertions) \(modifications) \(moves.count)")
      case .error(let error): continuation.yield(error.code)
      }
    }
    var lines = told.makeAsyncIterator()
    #expect(await lines.next() == "initial")

    try store.write { try store.add(Dog(name: "Ada")) }
    #expect(await lines.next() == "[] [0] [] 0")
    try store.write { try #require(store.objects(Dog.self).last).name = "Zoe" }
    #expect(await lines.next() == "[] [] [0] 1")
    token.invalidate()
  }

  @Test func whatHappensWhileTheQueueIsBusyComesAsOne() async throws {
    let (told, continuation) = AsyncStream<Int>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let token = try store.objects(Dog.self).observe(on: queue) { change in
      switch change {
      case .initial:
        continuation.yield(0)
        gate.wait()
      case .update(_, let deletions, let insertions, let modifications, _):
        #expect(change.modificationsInNew.count == modifications.count)
        continuation.yield(insertions.count - deletions.count)
      case .error: continuation.finish()
      }
    }
    var lines = told.makeAsyncIterator()
    #expect(await lines.next() == 0)

    for age in 1..<50 { try store.write { try store.add(Dog(name: "Pup", age: age)) } }
    gate.signal()
    try store.write { try store.deleteAll() }
    var (calls, count) = (0, 2)
    while count > 0, let change = await lines.next() {
      calls += 1
      count += change
    }
    // A few of fifty: what the observation had noticed when the queue was free again, and the rest.
    #expect(calls < 10 && count == 0)
    token.invalidate()
  }

  @Test func theReferenceLeadsToTheCollectionInAnyStore() async throws {
    let (told, continuation) = AsyncStream<CollectionReference<Results<Dog>>>.makeStream()
    let dogs = try store.objects(Dog.self).filter("name != %@", "Rex").limit(5)
    let token = try dogs.observe(on: queue) { change in
      if case .initial(let reference) = change { continuation.yield(reference) }
    }
    var references = told.makeAsyncIterator()
    let reference = try #require(await references.next())

    #expect(try test.open().resolve(reference)?.map(\.name) == ["Mo"])
    token.invalidate()
  }

  @Test func objectsTellTheirValues() async throws {
    let rex = store.objects(Dog.self)[0]
    let (told, continuation) = AsyncStream<String>.makeStream()
    let token = try rex.observe(keyPaths: ["name"], on: queue) { change in
      switch change {
      case .change(_, let properties):
        for property in properties {
          continuation.yield("\(property.name) \(property.newValue as? String ?? "nil")")
        }
      case .deleted: continuation.finish()
      case .error(let error): continuation.yield(error.code)
      }
    }
    var lines = told.makeAsyncIterator()

    try store.write { rex.name = "Max" }
    #expect(await lines.next() == "name Max")
    try store.write { try store.deleteAll() }
    #expect(await lines.next() == nil)
    token.invalidate()
  }

  /// The observation's own store has not looked yet when the object is changed, or has: that is a race.
  @Test(arguments: [false, true])
  func whatComesRightAfterTheCallIsTold(isDeleted: Bool) async throws {
    for round in 0..<20 {
      let dog = Dog(name: "Pup", age: round)
      try store.write { try store.add(dog) }
      let (told, continuation) = AsyncStream<String>.makeStream()
      let token = try dog.observe(on: queue) { change in
        switch change {
        case .change(_, let properties):
          for property in properties {
            continuation.yield("\(property.oldValue ?? 0) \(property.newValue ?? 0)")
          }
        case .deleted: continuation.yield("deleted")
        case .error(let error): continuation.yield(error.code)
        }
      }
      try store.write { if isDeleted { try store.delete(dog) } else { dog.age = 100 } }

      var lines = told.makeAsyncIterator()
      #expect(await lines.next() == (isDeleted ? "deleted" : "\(round) 100"))
      token.invalidate()
    }
  }

  @Test func aListWhoseOwnerGoesRightAfterTheCallIsNotSilent() async throws {
    for _ in 0..<20 {
      let person = Person(id: 1, name: "Ada")
      try store.write { try store.add(person) }
      let (told, continuation) = AsyncStream<String>.makeStream()
      let token = try person.dogs.observe(on: queue) { change in
        switch change {
        case .initial: continuation.yield("initial")
        case .update: continuation.yield("update")
        case .error(let error): continuation.yield(error.code)
        }
      }
      try store.write { try store.delete(person) }

      var lines = told.makeAsyncIterator()
      let line = await lines.next()
      #expect(line == "initial" || line == "STR5041")
      token.invalidate()
    }
  }

  @Test func nothingIsCalledAfterTheTokenIsGivenUp() async throws {
    let (told, continuation) = AsyncStream<String>.makeStream()
    queue.suspend()
    let token = try store.objects(Dog.self).observe(on: queue) { _ in
      continuation.yield("called")
    }
    // Its first call waits for the queue by then, or is not asked for.
    let other = try store.objects(Dog.self).observe(on: DispatchQueue(label: "other")) { _ in
      continuation.yield("other")
    }
    var lines = told.makeAsyncIterator()
    #expect(await lines.next() == "other")
    token.invalidate()
    queue.async { continuation.yield("end") }
    queue.resume()

    #expect(await lines.next() == "end")
    other.invalidate()
  }

  /// How many descriptors this process has on files of the test's folder.
  private func openFiles() throws -> Int {
    let folder = URL(fileURLWithPath: test.folder.path).lastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
      let link = "/proc/self/fd/" + number
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link))?
        .contains(folder) == true
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func manyObservationsTakeOneConnection() async throws {
    let people = (0..<40).map { Person(id: $0, name: "p") }
    try store.write {
      try store.add(people)
      for person in people { person.dogs.append(Dog(name: "Pup")) }
    }
    let (told, continuation) = AsyncStream<String>.makeStream()
    func observe(_ person: Person) throws -> NotificationToken {
      try person.dogs.observe(on: queue) { change in
        switch change {
        case .initial: continuation.yield("initial")
        case .update(_, _, let insertions, _, _): continuation.yield("\(insertions)")
        case .error(let error): continuation.yield(error.code)
        }
      }
    }
    var lines = told.makeAsyncIterator()
    var tokens = [try observe(people[0])]
    #expect(await lines.next() == "initial")
    let count = try openFiles()
    #expect(count > 0)

    for person in people.dropFirst() {
      tokens.append(try observe(person))
      #expect(await lines.next() == "initial")
    }
    #expect(try openFiles() == count)

    // Each is told what it observes, and one that ends leaves the others alone.
    tokens.removeFirst().invalidate()
    try store.write { for person in people { person.dogs.append(Dog(name: "Next")) } }
    for _ in tokens { #expect(await lines.next() == "[1]") }
    for token in tokens { token.invalidate() }
  }

  @Test func aFileThatWasRemovedIsNotMadeAnew() async throws {
    for end in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: test.folder.file("a.db" + end))
    }
    let (told, continuation) = AsyncStream<String>.makeStream()
    let token = try store.objects(Dog.self).observe(on: queue) { change in
      if case .error(let error) = change { continuation.yield(error.code) }
    }
    var lines = told.makeAsyncIterator()

    #expect(await lines.next() == "STR5001")
    #expect(!FileManager.default.fileExists(atPath: test.folder.file("a.db")))
    token.invalidate()
  }

  @Test func whatIsObservedBehindTheEndOfAllOthersIsTold() async throws {
    for name in ["Ada", "Bob", "Cyd"] {
      let (told, continuation) = AsyncStream<Int>.makeStream()
      let token = try store.objects(Dog.self).observe(on: queue) { change in
        if case .update(_, _, let insertions, _, _) = change {
          continuation.yield(insertions.count)
        } else {
          continuation.yield(0)
        }
      }
      var counts = told.makeAsyncIterator()
      #expect(await counts.next() == 0)
      try store.write { try store.add(Dog(name: name)) }
      #expect(await counts.next() == 1)
      token.invalidate()
    }
  }

  @Test func refusalsAreTheSame() throws {
    let error = #expect(throws: StoreError.self) {
      try Person(id: 1, name: "").dogs.observe(on: queue) { _ in }
    }
    #expect(error?.code == "STR5033")
    #expect(throws: StoreError.self) {
      try store.objects(Dog.self).observe(keyPaths: ["nick"], on: queue) { _ in }
    }
  }
}
