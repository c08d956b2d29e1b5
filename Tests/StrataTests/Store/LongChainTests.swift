import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// What takes more objects along, one from the other, than SQLite's triggers follow.
@Suite struct LongChainTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  /// Above the 1,000 that SQLite follows, also where two triggers stand for one object.
  private static let length = 3_000

  /// Embedded in one another, in turn as a property and in a list.
  private func chain(_ length: Int = Self.length) -> Node {
    (0..<length).reduce(into: Node(name: "last")) { inner, number in
      inner =
        number.isMultiple(of: 2)
        ? Node(name: "n", child: inner) : Node(name: "n", children: [Node(name: "leaf"), inner])
    }
  }

  /// Each answers the one before.
  private func answers() throws -> [Reply] {
    try store.write {
      var replies = [Reply(text: "0")]
      for number in 1..<Self.length {
        replies.append(Reply(text: "\(number)", parent: replies[number - 1]))
      }
      for reply in replies.reversed() { try store.add(reply) }
      return replies
    }
  }

  private func count<Element: Object>(_ type: Element.Type) -> Int { store.objects(type).count }

  private func nodeCount() throws -> Int {
    let database = try Database(path: test.folder.file("a.db"), mode: .readOnly)
    #expect(try database.rows("PRAGMA foreign_key_check").isEmpty)
    return Int(try database.firstValue("SELECT count(*) FROM Node")?.ifInteger ?? -1)
  }

  // MARK: - Links that cascade

  @Test func answersGoWithWhatTheyAnswer() throws {
    let replies = try answers()
    let other = try test.added(Reply(text: "other", note: Node(name: "kept")))
    var told = 0
    let token = try store.objects(Reply.self).observe { change in
      if case .update(_, let deletions, _, _, _) = change { told += deletions.count }
    }
    try store.write { try store.delete(replies[1]) }
    token.invalidate()

    #expect(store.objects(Reply.self).map(\.text).sorted() == ["0", "other"])
    #expect(replies[1].isInvalidated && replies.last?.isInvalidated == true)
    #expect(!replies[0].isInvalidated && !other.isInvalidated)
    #expect(try nodeCount() == 1)
    #expect(told == Self.length - 1)
  }

  @Test func quotesGoWithWhatTheyQuote() throws {
    let replies = (0..<Self.length).map { Reply(text: "\($0)") }
    try store.write {
      for reply in replies { try store.add(reply) }
      for number in 1..<Self.length { replies[number].quoted.append(replies[number - 1]) }
    }
    try store.write { try store.delete(replies[0]) }
    #expect(count(Reply.self) == 0)
    #expect(try nodeCount() == 0)
  }

  @Test func aCircleOfAnswersGoesAsAWhole() throws {
    let replies = try answers()
    try store.write { replies[0].parent = replies.last }
    try store.write { try store.delete(replies[7]) }
    #expect(count(Reply.self) == 0)
  }

  /// All stand beside one another, and answer one another as well.
  @Test func quotesOfOneReplyThatAnswerEachOther() throws {
    let replies = try answers()
    let first = try test.added(Reply(text: "first"))
    try store.write { for reply in replies { reply.quoted.append(first) } }
    try store.write { try store.delete(first) }
    #expect(count(Reply.self) == 0)
  }

  @Test func bulkDeletions() throws {
    _ = try answers()
    try store.write {
      let count = try store.delete(Reply.self, where: "parent = nil")
      #expect(count == 1)
    }
    #expect(count(Reply.self) == 0)

    _ = try answers()
    try store.write {
      let count = try store.delete(Reply.self, where: "text != '1'")
      #expect(count == Self.length - 1)
    }
    #expect(count(Reply.self) == 0)

    for length in [2, 40, 200] {
      try store.write {
        let replies = (0..<length).map { Reply(text: "\($0)") }
        for number in 1..<length { replies[number].parent = replies[number - 1] }
        try store.add(replies)
        let count = try store.delete(Reply.self, where: "text != ''")
        #expect(count == length)
      }
    }

    _ = try answers()
    try store.write { try store.deleteAll(Reply.self) }
    #expect(count(Reply.self) == 0)

    _ = try answers()
    try test.store.write { try store.add(Tree(root: chain())) }
    try store.write { try store.deleteAll() }
    #expect(count(Reply.self) == 0)
    #expect(try nodeCount() == 0)
  }

  @Test func aCancelledDeletionTakesNothing() throws {
    let replies = try answers()
    #expect(throws: TestStore.Refusal.self) {
      try store.write {
        try store.delete(replies[0])
        #expect(count(Reply.self) == 0)
        throw TestStore.Refusal()
      }
    }
    #expect(count(Reply.self) == Self.length)
    #expect(replies[5].parent == replies[4] && !replies[5].isInvalidated)
  }

  /// Held against the same rule in memory: who answers or quotes what goes, goes as well.
  @Test(arguments: 0..<12) func randomGraphs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = 300
    // Each answers one of the last three; now and then one quotes any other, or answers one that comes later.
    let parents = (0..<count).map { number in
      Int.random(in: 0..<40, using: &random) == 0
        ? Int.random(in: 0..<count, using: &random)
        : number - Int.random(in: 1...3, using: &random)
    }
    let quotes = (0..<count).map { _ in
      (0..<Int.random(in: 0..<3, using: &random)).compactMap { _ in
        Int.random(in: 0..<20, using: &random) == 0
          ? Int.random(in: 0..<count, using: &random) : nil
      }
    }
    let replies = (0..<count).map { Reply(text: "\($0)", note: chain($0 % 100)) }
    try store.write {
      for reply in replies { try store.add(reply) }
      for (number, reply) in replies.enumerated() {
        reply.parent = parents[number] < 0 ? nil : replies[parents[number]]
        for quoted in quotes[number] { reply.quoted.append(replies[quoted]) }
      }
    }
    let first = Int.random(in: 0..<count / 2, using: &random)
    var gone: Set<Int> = [first]
    while let next = (0..<count).first(where: {
      !gone.contains($0) && (gone.contains(parents[$0]) || !gone.isDisjoint(with: quotes[$0]))
    }) {
      gone.insert(next)
    }
    try store.write { try store.delete(replies[first]) }
    let kept = Set(0..<count).subtracting(gone)
    #expect(Set(store.objects(Reply.self).compactMap { Int($0.text) }) == kept)
    #expect(kept.allSatisfy { replies[$0].note?.name == ($0 % 100 == 0 ? "last" : "n") })
    // A leaf for each odd number below the length, beside the chain itself.
    #expect(try nodeCount() == kept.map { 1 + $0 % 100 + $0 % 100 / 2 }.reduce(0, +))
  }

  // MARK: - Embedded objects

  @Test func embeddedObjectsGoWithTheirOwner() throws {
    let tree = try test.added(Tree(root: chain()))
    let kept = try test.added(Tree(root: chain(10)))
    let count = try nodeCount()
    try store.write { try store.delete(tree) }
    #expect(try nodeCount() == 16)
    #expect(count > Self.length && kept.root?.child == nil)
  }

  @Test func whatIsRequiredGoesWithItsOwnerAndItsPlace() throws {
    let stump = try test.added(Stump(root: chain()))
    let other = try test.added(Stump(root: Node(name: "r"), about: .object(stump)))
    try store.write { stump.root = Node(name: "short") }
    #expect(try nodeCount() == 2)
    try store.write { stump.root = chain() }
    try store.write { try store.delete(stump) }
    #expect(try nodeCount() == 1)
    #expect(other.about == nil && count(Stump.self) == 1)
  }

  /// What the transaction changed before the deletion, and after it, is kept.
  /// Objects that are embedded in one another, deleted by themselves.
  @Test func embeddedObjectsOfAnyDepth() throws {
    let tree = try test.added(Tree(root: chain(), named: ["a": chain(3)]))
    try store.write {
      let count = try store.delete(Node.self, where: "name = 'last' OR name = 'n'")
      #expect(count == Self.length + 1 + 4)
    }
    #expect(tree.root == nil && tree.named.isEmpty)
    #expect(try nodeCount() == 0)

    try store.write { tree.root = chain() }
    try store.write { try store.deleteAll(Node.self) }
    #expect(tree.root == nil)
    #expect(try nodeCount() == 0)
  }

  @Test func aDeletionBesideOtherChanges() throws {
    let tree = try test.added(Tree(root: chain()))
    try store.write {
      try store.add(Person(id: 1, name: "before"))
      try store.delete(tree)
      try store.add(Person(id: 2, name: "after"))
    }
    #expect(store.objects(Person.self).map(\.name).sorted() == ["after", "before"])
    #expect(try nodeCount() == 0)
  }

  @Test func embeddedObjectsGoWithTheirPlace() throws {
    let tree = try test.added(Tree(root: chain(), named: ["a": chain(), "b": chain(2)]))
    try store.write { tree.root = nil }
    #expect(tree.root == nil)
    try store.write { tree.root = chain() }
    try store.write { tree.root = Node(name: "new") }
    #expect(tree.root?.name == "new")
    try store.write { tree.named["a"] = Node(name: "short") }
    #expect(tree.named["a"]?.name == "short" && tree.named["b"]?.children.count == 2)
    #expect(try nodeCount() == 6)

    try store.write { tree.named["a"] = chain() }
    try store.write { tree.named["a"] = nil }
    #expect(tree.named.keys.sorted() == ["b"])
    #expect(try nodeCount() == 5)
    try store.write { tree.named["c"] = chain() }
    try store.write { tree.named.removeAll() }
    #expect(try nodeCount() == 1)
  }

  @Test func elementsOfListsGoWithTheirPlace() throws {
    let tree = try test.added(
      Tree(root: Node(name: "r", children: [Node(name: "a"), chain(), Node(name: "c")])))
    let children = try #require(tree.root).children
    try store.write { children.remove(at: 1) }
    #expect(children.map(\.name) == ["a", "c"])
    try store.write { children.append(chain()) }
    try store.write { children[2] = Node(name: "d") }
    #expect(children.map(\.name) == ["a", "c", "d"])
    try store.write { children.insert(chain(), at: 0) }
    try store.write { children.removeAll() }
    #expect(try nodeCount() == 1)
    try store.write { tree.root = nil }
    #expect(try nodeCount() == 0)
  }

  @Test func anObjectThatIsUpdatedReplacesItsChain() throws {
    let entry = try test.added(Person(id: 1, name: "Ada"))
    #expect(entry.name == "Ada")
    let reply = try test.added(Reply(text: "a", note: chain()))
    let copy = reply.detached()
    copy.note = Node(name: "short")
    try store.write { reply.note = copy.note }
    #expect(reply.note?.name == "short")
    #expect(try nodeCount() == 1)
  }
}
