import Foundation
import Strata
import StrataTestModels
import Testing

/// What is read with nothing but the key of an object that stands elsewhere leaves that object as it is.
@Suite struct NamedByKeyTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func decoded(_ text: String) throws -> Folder {
    try JSONDecoder().decode(Folder.self, from: Data(text.utf8))
  }

  private func folder(_ id: Int) throws -> Folder {
    try #require(try store.object(ofType: Folder.self, forPrimaryKey: id))
  }

  /// 1 leads to 2, which has a cover, a node, a place and leads to 3.
  private func addFolders() throws {
    let second = Folder(
      id: 2, cover: Node(name: "c"), nodes: [Node(name: "n")], others: [Folder(id: 3)],
      places: ["p": Node(name: "m")])
    try store.write { try store.add(Folder(id: 1, others: [second])) }
  }

  private func expectSecondIsWhole(_ at: SourceLocation = #_sourceLocation) throws {
    let second = try folder(2)
    #expect(second.cover?.name == "c", sourceLocation: at)
    #expect(second.nodes.map(\.name) == ["n"], sourceLocation: at)
    #expect(second.others.map(\.id) == [3], sourceLocation: at)
    #expect(second.places["p"]?.name == "m", sourceLocation: at)
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsBehindTheLastLinkThatIsWritten(policy: UpdatePolicy) throws {
    let first = (1..<40).reversed().reduce(Folder(id: 40, nodes: [Node(name: "40")])) {
      Folder(id: $1, nodes: [Node(name: "\($1)")], others: [$0])
    }
    try store.write { try store.add(first) }

    let copy = try JSONDecoder().decode(Folder.self, from: JSONEncoder().encode(first))
    try store.write { try store.add(copy, update: policy) }

    var ids: [Int] = []
    var next: Folder? = try folder(1)
    while let folder = next {
      ids.append(folder.id)
      #expect(folder.nodes.map(\.name) == ["\(folder.id)"])
      next = folder.others.first
    }
    #expect(ids == Array(1...40))
    #expect(store.objects(Node.self).count == 40)
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func aKeyAlone(policy: UpdatePolicy) throws {
    try addFolders()

    let copy = try decoded(#"{"id": 1, "others": [{"id": 2}]}"#)
    try store.write { try store.add(copy, update: policy) }

    try expectSecondIsWhole()
    #expect(copy.others[0] == (try folder(2)))
    #expect(copy.others[0].places["p"]?.name == "m", "the decoded object is that of the store")
  }

  /// Also what is decoded itself, and where it is set before it is added.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func nothingAroundAKeyAlone(policy: UpdatePolicy) throws {
    try addFolders()

    let copy = try decoded(#"{"id": 2}"#)
    try store.write { try store.add(copy, update: policy) }

    try expectSecondIsWhole()

    let other = try decoded(#"{"id": 2}"#)
    other.cover = Node(name: "new")
    try store.write { try store.add(other, update: policy) }

    let second = try folder(2)
    #expect(second.cover?.name == "new" && second.nodes.map(\.name) == ["n"])
  }

  /// A part of a key may be missing, and what has no such part is one object, too.
  @Test(arguments: [
    #"{"$model": "Entry", "account": "a", "number": null, "text": "t"}"#,
    #"{"$model": "Entry", "account": "a", "number": null}"#,
  ])
  func aKeyWithNil(first: String) throws {
    try store.write { try store.add(Entry(account: "a", number: nil, text: "t")) }

    let mention = #"{"$model": "Entry", "account": "a", "number": null}"#
    let text = #"{"name": "b", "list": [\#(first), \#(mention)]}"#
    let bag = try JSONDecoder().decode(Bag.self, from: Data(text.utf8))
    let entries = bag.list.compactMap { $0?.object(as: Entry.self) }
    #expect(entries.count == 2 && entries[0] === entries[1])

    try store.write { try store.add(bag, update: .modified) }
    #expect(store.objects(Entry.self).map(\.text) == ["t"])
  }

  /// Those that are written whole may each get a key of its own later.
  @Test func withoutAValueForTheKeyThereAreSeveral() throws {
    let first = Coupon(text: "a", next: Coupon(text: "b"))
    first.others.append(contentsOf: [Coupon(text: "c"), Coupon(text: "d")])
    let copy = try JSONDecoder().decode(Coupon.self, from: JSONEncoder().encode(first))

    #expect(copy.text == "a" && copy.next?.text == "b")
    #expect(copy.others.map(\.text) == ["c", "d"])
  }

  /// Of a store it can be one alone, which is named before and behind it.
  @Test func theOneWithoutAValueForTheKey() throws {
    let text = """
      {"code": "x", "next": {"code": null}, "others": [{"code": null, "text": "t"}, {"code": null}]}
      """
    let coupon = try JSONDecoder().decode(Coupon.self, from: Data(text.utf8))

    #expect(coupon.next === coupon.others[0] && coupon.others[1] === coupon.others[0])
    #expect(coupon.next?.text == "t")

    let loop = Coupon(text: "a")
    loop.next = loop
    let copy = try JSONDecoder().decode(Coupon.self, from: JSONEncoder().encode(loop))
    #expect(copy.next === copy && copy.text == "a")
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsSetSinceIsWritten(policy: UpdatePolicy) throws {
    try addFolders()

    let copy = try decoded(#"{"id": 1, "others": [{"id": 2}]}"#)
    copy.others[0].cover = Node(name: "new")
    copy.others[0].others.append(copy)
    try store.write { try store.add(copy, update: policy) }

    let second = try folder(2)
    #expect(second.cover?.name == "new")
    #expect(second.others.map(\.id) == [1])
    #expect(second.nodes.map(\.name) == ["n"] && second.places["p"]?.name == "m")
  }

  @Test(arguments: [
    #"{"id": 1, "others": [{"id": 2}, {"id": 2, "cover": null}]}"#,
    #"{"id": 1, "others": [{"id": 2, "cover": null}, {"id": 2}]}"#,
  ])
  func oneThatIsSpelledAnywhereIsWhole(text: String) throws {
    try addFolders()

    let copy = try decoded(text)
    try store.write { try store.add(copy, update: .modified) }

    let second = try folder(2)
    #expect(second.cover == nil)
  }

  @Test func whatAStoreDoesNotHaveIsNew() throws {
    let copy = try decoded(#"{"id": 1, "others": [{"id": 2}]}"#)
    try store.write { try store.add(copy, update: .modified) }

    #expect(try folder(2).nodes.isEmpty)
    #expect(store.objects(Folder.self).count == 2)
  }

  @Test func aDetachedCopyNamesTheSame() throws {
    try addFolders()

    let copy = try decoded(#"{"id": 1, "others": [{"id": 2}]}"#).detached()
    try store.write { try store.add(copy, update: .modified) }

    try expectSecondIsWhole()
  }

  @Test func anInitializerTakesNamesToo() throws {
    try addFolders()

    let copy = try Folder(value: ["id": 1, "others": [["id": 2]]] as [String: Any])
    try store.write { try store.add(copy, update: .modified) }

    try expectSecondIsWhole()
  }

  /// What was written by its key is not spelled with defaults the next time.
  @Test func aNameIsWrittenAsOne() throws {
    let text =
      #"{"cover":null,"id":1,"nodes":[],"others":[{"id":2}],"places":{}}"#

    let copy = try decoded(text)
    #expect(copy.json() == text)

    copy.others[0].cover = Node(name: "c")
    #expect(copy.json().contains(#""name":"c""#))
  }

  /// A new object of Swift is all that it says.
  @Test func anObjectThatTheProgramMakesIsWhole() throws {
    try addFolders()

    let copy = try decoded(#"{"id": 1}"#)
    copy.others.append(Folder(id: 2))
    try store.write { try store.add(copy, update: .modified) }

    let second = try folder(2)
    #expect(second.cover == nil)
  }
}
