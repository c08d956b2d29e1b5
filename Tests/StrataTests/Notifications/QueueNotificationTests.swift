import Dispatch
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
    // Its observer begins soon: until then there is nothing to tell.
    var lines: [String] = []
    let path = test.folder.file("a.db")
    let writing = Task.detached {
      let store = try Store(path: path, schema: TestingSchema.self)
      for round in 0..<100_000 {
        if Task.isCancelled { break }
        // Others need the thread, too.
        await Task.yield()
        try store.write { store.objects(Dog.self)[0].name = "Rex \(round)" }
      }
      try store.write { try store.deleteAll() }
    }
    for await line in told {
      if lines.isEmpty { writing.cancel() }
      lines.append(line)
    }
    try await writing.value

    #expect(lines.first?.hasPrefix("name Rex ") == true)
    token.invalidate()
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
