import Strata
import StrataTestModels
import Testing

/// What other stores, threads and programs write.
@Suite struct OtherWritersTests {
  let test: TestStore
  let store: Store
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      for (index, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
        try store.add(Person(id: index, name: name, age: 10 * index))
      }
    }
  }

  @Test func manyTransactionsOfAnotherStoreComeAsOne() throws {
    let people = store.objects(Person.self)
    let token = try people.observe(log.note)
    let other = try test.open()
    let bob = try #require(other.objects(Person.self).filter("name = 'Bob'").first)
    try other.write { bob.age = 1 }
    try other.write { bob.age = 2 }
    try other.write { try other.add(Person(id: 7, name: "Gus")) }
    try other.write { try other.delete(other.objects(Person.self).filter("id = 0")) }
    #expect(log.take() == ["initial 4"] && people.count == 4)

    #expect(try store.refresh())
    #expect(log.take() == ["-0 +3 *1"] && people.count == 4)
    #expect(try store.refresh() == false)
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test func aWriteTellsFirstWhatOthersDid() throws {
    let token = try store.objects(Person.self).observe(log.note)
    let other = try test.open()
    try other.write { try other.add(Person(id: 7, name: "Gus")) }

    try store.write(withoutNotifying: [token]) {
      #expect(log.take() == ["initial 4", "+4"])
      try store.add(Person(id: 8, name: "Hal"))
    }

    #expect(log.take() == [] && store.objects(Person.self).count == 6)
    token.invalidate()
  }

  @Test func programsThatKnowNothingOfTheLogAreCompared() throws {
    let ada = try #require(store.objects(Person.self).first)
    let (object, tags) = (ChangeLogbook(), ChangeLogbook())
    let tokens = [
      try store.objects(Person.self).observe(log.note), try ada.observe(object.note),
      try ada.tags.observe(tags.note),
    ]
    for log in [log, object, tags] { _ = log.take() }

    try test.execute("UPDATE Person SET age = 99 WHERE name = 'Cyd'")
    try store.refresh()
    #expect(log.take() == ["*2"] && object.take() == [])

    try test.execute("DELETE FROM Person WHERE name = 'Bob'")
    try test.execute("UPDATE Person SET name = 'Ida' WHERE name = 'Ada'")
    try test.execute(
      "INSERT INTO \"Person.tags\" (_owner, value) SELECT _row, 'new' FROM Person LIMIT 1")
    try store.refresh()
    #expect(log.take() == ["-1 *0"])
    #expect(object.take().first?.hasPrefix("name: Ada → Ida; tags: nil →") == true)
    #expect(tags.take() == ["+0"])
    for token in tokens { token.invalidate() }
  }

  @Test func transactionsThatTheLogCutsShortAreCompared() throws {
    try store.write {
      for id in 100..<2_100 { try store.add(Person(id: id, name: "\(id)")) }
    }
    var modified: [Int] = []
    let token = try store.objects(Person.self).observe { change in
      if case .update(_, let deletions, let insertions, let modifications, _) = change {
        #expect(deletions.isEmpty && insertions.isEmpty)
        modified = modifications
      }
    }
    // Every second one: more than the log lists.
    let other = try test.open()
    for changed in [other, store] {
      try changed.write {
        for person in changed.objects(Person.self) where person.id >= 100 && person.id % 2 == 0 {
          person.age = 5 + (changed === other ? 0 : 1)
        }
      }
      try store.refresh()
      #expect(modified == stride(from: 4, to: 2_004, by: 2).map { $0 })
    }
    token.invalidate()
  }

  @Test func aReaderThatFellBehindTheLogIsTold() throws {
    let people = store.objects(Person.self)
    let token = try people.observe(log.note)
    let other = try test.open()
    let dog = Dog(name: "Rex")
    try other.write { try other.add(dog) }
    try other.write { try #require(other.objects(Person.self).first).age = 77 }
    // Fills the log with something else.
    for round in 0..<25 {
      try other.write {
        for _ in 0..<450 {
          dog.name = "Rex \(round)"
          try other.add(Country(code: "\(round) \(other.objects(Country.self).count)"))
          dog.age += 1
        }
      }
    }
    try store.refresh()

    #expect(log.take() == ["initial 4", "*0"])
    token.invalidate()
  }

  // MARK: - Without being asked

  @Test @MainActor func anActorIsToldSoonWhatAnotherThreadWrote() async throws {
    let path = test.folder.file("a.db")
    let store = try Store(path: path, schema: TestingSchema.self)
    let (told, continuation) = AsyncStream<[Int]>.makeStream()
    let token = try store.objects(Person.self).observe { change in
      MainActor.assertIsolated()
      if case .update(_, _, let insertions, _, _) = change { continuation.yield(insertions) }
    }
    try await Task.detached {
      let other = try Store(path: path, schema: TestingSchema.self)
      try other.write { try other.add(Person(id: 7, name: "Gus")) }
    }.value

    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == [4])
    // And what a program did that says nothing.
    try test.execute(
      "INSERT INTO Person (_row, id, name, age, score, mood) "
        + "SELECT max(_row) + 9, 9, 'Ina', 0, 0.0, 'calm' FROM Person")
    #expect(await changes.next() == [5])
    token.invalidate()
  }

  /// A store in memory cannot be read while another has a transaction open.
  @Test @MainActor func aWaitThatIsOverIsNoErrorOfTheNextWrite() async throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "waiting \(test.folder.path)"
    configuration.busyTimeout = .zero
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let token = try store.objects(Dog.self).observe(log.note)
    try other.write { try other.add(Dog(name: "Rex")) }
    try other.beginWrite()
    // Lets the store look meanwhile.
    for _ in 0..<100 { await Task.yield() }
    try other.commitWrite()

    try store.write { try store.add(Dog(name: "Mo")) }

    #expect(log.take() == ["initial 0", "+0", "+1"])
    token.invalidate()
  }

  /// It could be answered when it was asked first.
  private func questionThatCannotBeAnswered(_ store: Store) throws -> Results<Person> {
    let ada = try #require(store.objects(Person.self).first)
    try store.write { ada.age = 10 }
    let question = try store.objects(Person.self).filter("100 / age > 1")
    try store.write { ada.age = 0 }
    return question
  }

  @MainActor @Test(.timeLimit(.minutes(10)))
  func whatCouldNotBeReadKeepsNoStoreFromMovingOn() async throws {
    let path = test.folder.file("a.db")
    let store = try test.open()
    let question = try questionThatCannotBeAnswered(store)
    let (told, continuation) = AsyncStream<[Int]>.makeStream()
    let token = try store.objects(Person.self).observe { change in
      if case .update(_, _, let insertions, _, _) = change { continuation.yield(insertions) }
    }
    _ = question.count
    try await Task.detached {
      let other = try Store(path: path, schema: TestingSchema.self)
      try other.write { try other.add(Person(id: 7, name: "Gus")) }
    }.value

    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == [4])
    #expect(throws: StoreError.self) { try store.refresh() }
    token.invalidate()
  }

  @Test func aSequenceGivesChangesToTheTaskThatAsks() async throws {
    let path = test.folder.file("a.db")
    var changes = store.objects(Person.self).changes.makeAsyncIterator()
    log.note(try #require(try await changes.next()))
    try store.write { try #require(store.objects(Person.self).first).age = 1 }
    try store.write { try store.add(Person(id: 6, name: "Fay")) }
    log.note(try #require(try await changes.next()))
    let writing = Task.detached {
      let other = try Store(path: path, schema: TestingSchema.self)
      try other.write { try other.add(Person(id: 7, name: "Gus")) }
    }
    log.note(try #require(try await changes.next()))
    try await writing.value

    #expect(log.take() == ["initial 4", "+4 *0", "+5"])
  }

  /// A store in memory cannot be read while another has a transaction open.
  @MainActor @Test(.timeLimit(.minutes(10)))
  func aSequenceWaitsForAnotherTransaction() async throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "sequence \(test.folder.path)"
    configuration.busyTimeout = .zero
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    var changes = store.objects(Dog.self).changes.makeAsyncIterator()
    if let change = try await changes.next(isolation: #isolation) { log.note(change) }
    try other.beginWrite()
    try other.add(Dog(name: "Rex"))
    // Runs when the sequence waits.
    let writing = Task { @MainActor in try other.commitWrite() }
    if let change = try await changes.next(isolation: #isolation) { log.note(change) }
    try await writing.value

    #expect(log.take() == ["initial 0", "+0"])
  }

  /// The transaction may be open when the sequence wants to look.
  @MainActor @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func aSequenceLooksAgainBehindATransactionThatStoresNothing(isCancelled: Bool) async throws {
    let store = try test.open()
    let other = try test.open()
    var changes = store.objects(Person.self).changes.makeAsyncIterator()
    if let change = try await changes.next(isolation: #isolation) { log.note(change) }
    try other.write { try other.add(Person(id: 7, name: "Gus")) }
    try store.beginWrite()
    // Runs when the sequence waits.
    let writing = Task { @MainActor in
      // Lets it look at what has woken it.
      for _ in 0..<100 { await Task.yield() }
      if isCancelled { store.cancelWrite() } else { try store.commitWrite() }
    }
    if let change = try await changes.next(isolation: #isolation) { log.note(change) }
    try await writing.value

    #expect(log.take() == ["initial 4", "+4"])
  }

  /// Others of a store in memory cannot look meanwhile.
  @MainActor @Test(.timeLimit(.minutes(10)), arguments: ["empty", "cancelled", "closed"])
  func storesInMemoryLookAgainBehindATransactionThatStoresNothing(_ kind: String) async throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "nothing \(kind) \(test.folder.path)"
    configuration.busyTimeout = .zero
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let (told, continuation) = AsyncStream<[Int]>.makeStream()
    let token = try store.objects(Dog.self).observe { change in
      if case .update(_, _, let insertions, _, _) = change { continuation.yield(insertions) }
    }
    try other.write { try other.add(Dog(name: "Rex")) }
    try other.beginWrite()
    // Lets the store look meanwhile.
    for _ in 0..<100 { await Task.yield() }
    switch kind {
    case "empty": try other.commitWrite()
    case "cancelled": other.cancelWrite()
    default: other.close()
    }

    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == [0])
    token.invalidate()
  }

  /// A question that cannot be answered is none of a sequence that asks another one.
  @Test func aSequenceGoesOnThoughSomethingElseCannotBeRead() async throws {
    let question = try questionThatCannotBeAnswered(store)
    var changes = store.objects(Person.self).changes.makeAsyncIterator()
    log.note(try #require(try await changes.next()))
    try store.write { try store.add(Person(id: 6, name: "Fay")) }
    _ = question.count
    log.note(try #require(try await changes.next()))

    #expect(log.take() == ["initial 4", "+4"])
    #expect(throws: StoreError.self) { try store.refresh() }
  }

  @Test func aSequenceOfAnObjectEndsWithIt() async throws {
    let ada = try #require(store.objects(Person.self).first)
    var changes = ada.changes(keyPaths: ["age"]).makeAsyncIterator()
    let path = test.folder.file("a.db")
    Task.detached {
      let other = try Store(path: path, schema: TestingSchema.self)
      // The sequence begins with its first wait: until then nothing is missed that could be told.
      for age in 0..<200 {
        await Task.yield()
        try other.write { try #require(other.objects(Person.self).first).age = age }
      }
      try other.write { try other.deleteAll() }
    }
    while let change = try await changes.next() { log.note(change) }

    #expect(log.lines.last == "deleted" && ada.isInvalidated)
  }

  /// A loop that is busy with a change has not asked for the next one: the others of the store wait all the same, so that it comes to an
  /// end where all are on one actor.
  @MainActor @Test(.timeLimit(.minutes(10)))
  func oneBusyLoopKeepsNoOtherAwake() async throws {
    let store = try test.open()
    let (finishing, finish) = AsyncStream<Void>.makeStream()
    let (ready, isReady) = AsyncStream<String>.makeStream()
    let busy = Task { @MainActor in
      var changes = store.objects(Person.self).changes.makeAsyncIterator()
      for round in 0..<3 {
        _ = try await changes.next(isolation: #isolation)
        isReady.yield("busy \(round)")
        // Another change comes meanwhile.
        if round == 1 { for await _ in finishing { break } }
      }
    }
    let other = Task { @MainActor in
      var count = 0
      for try await _ in store.objects(Dog.self).changes {
        count += 1
        isReady.yield("other \(count)")
      }
      return count
    }
    var lines: Set<String> = []
    var events = ready.makeAsyncIterator()
    func wait(for line: String) async {
      while !lines.contains(line), let next = await events.next(isolation: #isolation) {
        lines.insert(next)
      }
    }
    await wait(for: "busy 0")
    await wait(for: "other 1")
    try store.write { try store.add(Person(id: 7, name: "Gus")) }
    await wait(for: "busy 1")
    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    try store.write { try store.add(Dog(name: "Rex")) }
    await wait(for: "other 2")
    finish.yield()
    await wait(for: "busy 2")
    try await busy.value
    other.cancel()

    #expect(try await other.value == 2)
  }

  /// Not told apart, and no reason to stop the program.
  @Test func keysOfAnotherProgramThatAreNoTexts() throws {
    let ada = try #require(store.objects(Person.self).first)
    try store.write { ada.scores["a"] = 1 }
    let token = try ada.scores.observe { _ in }
    try test.execute(
      #"INSERT INTO "Person.scores" SELECT _row, CAST(x'ff' AS TEXT), 2 FROM Person WHERE id = 0"#)
    try test.execute(
      #"INSERT INTO "Person.scores" SELECT _row, CAST(x'fe' AS TEXT), 3 FROM Person WHERE id = 0"#)
    try store.refresh()
    try store.write { ada.scores["a"] = 4 }

    #expect(ada.scores["a"] == 4)
    token.invalidate()
  }

  /// More than five hundred: the record says only that something of the model has changed.
  @Test func aCollectionIsNotOverlookedAmongManyChanges() throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "many \(test.folder.path)"
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let ada = Person(id: 0, name: "Ada")
    try store.write { try store.add(ada) }
    let token = try ada.observe(log.note)

    try other.write {
      for id in 1...600 { try other.add(Person(id: id, name: "Pup")) }
      try #require(other.objects(Person.self).first).dogs.append(Dog(name: "Rex"))
    }
    try store.refresh()

    #expect(log.take().contains { $0.contains("dogs") })
    token.invalidate()
  }

  @Test func aWaitEndsWithItsTask() async throws {
    let path = test.folder.file("a.db")
    let (started, continuation) = AsyncStream<Void>.makeStream()
    let task = Task.detached { () -> Int in
      let store = try Store(path: path, schema: TestingSchema.self)
      var count = 0
      for try await _ in store.objects(Person.self).changes {
        count += 1
        continuation.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()

    #expect(try await task.value == 1)
  }

  @Test func storesInMemoryTellEachOther() throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "telling \(test.folder.path)"
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let token = try store.objects(Dog.self).observe(log.note)
    try other.write { try other.add(Dog(name: "Rex")) }
    try store.refresh()
    try other.write { try #require(other.objects(Dog.self).first).name = "Max" }
    try store.refresh()

    #expect(log.take() == ["initial 0", "+0", "*0"])
    token.invalidate()
  }
}
