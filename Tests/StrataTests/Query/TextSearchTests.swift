import Foundation
import Strata
import StrataTestModels
import Testing

/// What `TEXT` finds by the full-text index of a property.
@Suite struct TextSearchTests {
  let test: TestStore
  let store: Store
  var letters: Results<Letter> { store.objects(Letter.self) }

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      let ada = Person(id: 1, name: "Ada")
      let first = Letter(
        subject: "a", body: "Swift migrates the data", note: "café au lait", pages: 1)
      let second = Letter(subject: "b", body: "A migration in SWIFT, and once more Swift", pages: 2)
      let third = Letter(subject: "c", body: "The rain in Spain", note: "nothing", pages: 3)
      first.sender = ada
      second.reply = third
      third.reply = first
      third.answers.append(contentsOf: [first, second])
      try store.add([first, second, third])
    }
  }

  private func found(_ condition: String, _ arguments: Any?...) throws -> [String] {
    try letters.filter(condition, arguments: arguments).map(\.subject)
  }

  @Test(arguments: [
    ("body TEXT 'swift'", ["a", "b"]), ("body TEXT 'swift AND migr*'", ["a", "b"]),
    ("body text 'rain OR data'", ["a", "c"]), ("body TEXT 'swift NOT more'", ["a"]),
    ("body TEXT '\"in spain\"'", ["c"]), ("body TEXT 'NEAR(rain spain, 2)'", ["c"]),
    ("note TEXT 'cafe'", ["a"]), ("body TEXT 'nowhere'", []),
    // With other conditions.
    ("body TEXT 'swift' AND pages > 1", ["b"]), ("body TEXT 'rain' OR pages == 1", ["a", "c"]),
    ("NOT body TEXT 'swift'", ["c"]), ("body NOT TEXT 'swift'", ["c"]),
    ("note TEXT 'nothing' AND body TEXT 'spain'", ["c"]),
    ("NOT note TEXT 'nothing'", ["a", "b"]),
    // Of others.
    ("reply.body TEXT 'rain'", ["b"]), ("reply.reply.body TEXT 'data'", ["b"]),
    ("ANY answers.body TEXT 'more'", ["c"]), ("answers.body TEXT 'data'", ["c"]),
    ("NONE answers.body TEXT 'data'", ["a", "b"]),
    ("ALL answers.body TEXT 'swift'", ["a", "b", "c"]),
    ("SUBQUERY(answers, $l, $l.body TEXT 'swift' AND $l.pages > 1).@count == 1", ["c"]),
    ("ANY answers.reply.body TEXT 'rain'", ["c"]),
  ])
  func wordsAreFound(condition: String, subjects: [String]) throws {
    #expect(try found(condition) == subjects)
  }

  @Test func theWordsMayBeAnArgumentOrTyped() throws {
    #expect(try found("body TEXT %@ AND pages < $1", "migration", 9) == ["b"])
    #expect(letters.where { $0.body.matches("swift AND migr*") }.map(\.subject) == ["a", "b"])
    #expect(letters.where { $0.note.matches("lait") && $0.pages == 1 }.count == 1)
    #expect(letters.where { $0.reply.body.matches("rain") }.map(\.subject) == ["b"])
    #expect(letters.where { $0.answers.body.matches("more") }.map(\.subject) == ["c"])
    #expect(letters[2].answers.where { $0.body.matches("more") }.map(\.subject) == ["b"])
  }

  /// As in the texts, in which it stands between words.
  @Test func aZeroCharacterSeparatesWords() throws {
    let nowhere = try #require(letters.first { $0.subject == "c" })
    try store.write { nowhere.note = "zero\u{0}width" }
    #expect(try found("note TEXT %@", "\"zero\u{0}width\"") == ["c"])
    #expect(try found("note TEXT %@", "width\u{0}zero") == ["c"])
    #expect(try found("note TEXT %@", "zero\u{0}nothing") == [])
  }

  // MARK: - Rank

  @Test func theBestAnswersComeFirstOnRequest() throws {
    try store.write {
      for number in 0..<20 {
        try store.add(Letter(subject: "x", body: "of other things \(number)"))
      }
      try store.add(Letter(subject: "d", body: "swift swift swift"))
    }
    let swift = letters.where { $0.body.matches("swift") }

    #expect(try swift.sorted(by: .rank).map(\.subject) == ["d", "b", "a"])
    #expect(try swift.sorted(by: "@rank", ascending: false).map(\.subject) == ["a", "b", "d"])
    let both = try letters.filter("body TEXT 'swift' AND note TEXT 'lait'").sorted(by: .rank)
    #expect(both.map(\.subject) == ["a"])
    #expect(try swift.sorted(by: .rank).limit(2).map(\.subject) == ["d", "b"])
    #expect(try swift.sorted(by: .rank).limit(2).where { $0.pages > 0 }.map(\.subject) == ["b"])
    #expect(try swift.sorted(by: .rank).count == 3 && swift.sorted(by: .rank)[1].subject == "b")
    #expect(try swift.sorted(by: [SortKey("pages"), .rank]).map(\.subject) == ["d", "a", "b"])
    #expect(try swift.sorted(by: .rank).distinct(by: \.pages).count == 3)
    let replies = try letters.filter("reply.body TEXT 'rain OR data'").sorted(by: .rank)
    #expect(Set(replies.map(\.subject)) == ["b", "c"])
  }

  @Test func whatIsNotSearchedHasNoRank() throws {
    for letters in [letters, try letters.filter("body TEXT 'swift' OR pages == 1")] {
      let error = #expect(throws: StoreError.self) { try letters.sorted(by: .rank) }
      #expect(error?.description.contains("nothing is searched") == true)
    }
  }

  // MARK: - What is wrong

  @Test(arguments: [
    ("subject TEXT 'x'", "'Letter.subject' has no full-text index"),
    ("sender.name TEXT 'x'", "'Person.name' has no full-text index"),
    ("pages TEXT 'x'", "only a string has one"),
    ("lower(body) TEXT 'x'", "TEXT searches a property"),
    ("'abc' TEXT 'x'", "TEXT searches a property"), ("body TEXT 7", "as a string, not int"),
    ("body TEXT nil", "as a string"), ("body TEXT subject", "as a literal or an argument"),
    ("body TEXT[c] 'x'", "TEXT takes no options"), ("body TEXT", "ends where"),
    ("ANY body TEXT 'x'", "ANY needs a path through a collection"),
  ])
  func whatCannotBeSearchedIsSaid(condition: String, sentence: String) throws {
    let error = #expect(throws: StoreError.self) { try letters.filter(condition) }

    #expect(error?.code == "STR5023")
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains(condition) == true)
  }

  @Test(arguments: [
    "swift AND", "(swift", "\"swift", "a:b", "*", "*reads", "swift\u{0} AND (((", "swift ?", "",
  ])
  func wordsThatCannotBeReadNameTheQuery(words: String) throws {
    let error = #expect(throws: StoreError.self) { try letters.filter("body TEXT %@", words) }
    #expect(error?.code == "STR5023" && error?.description.contains("body TEXT %@") == true)
    #expect(error?.description.contains("the search '\(words)' cannot be read") == true)
    let typed = #expect(throws: StoreError.self) {
      try letters.filter(where: { $0.pages > 0 && $0.body.matches(words) })
    }
    #expect(typed?.description.contains("the search '\(words)'") == true)
    try store.write {
      let update = #expect(throws: StoreError.self) {
        try store.update(Letter.self, set: ["pages": 9], where: "body TEXT %@", words)
      }
      #expect(update?.description.contains("the search '\(words)'") == true)
    }
  }

  /// A typed condition that does not throw: nothing is found, and the next call that can throws it.
  @Test func aTypedConditionThatCannotBeReadFindsNothing() throws {
    let found = letters.where { $0.body.matches("swift AND") }

    #expect(found.isEmpty)
    let error = #expect(throws: StoreError.self) { try store.refresh() }
    #expect(error?.description.contains("the search 'swift AND' cannot be read") == true)
  }

  // MARK: - What lives

  @Test func observersAreToldOfWhatIsFound() throws {
    let (log, ranked) = (ChangeLogbook(), ChangeLogbook())
    let swift = letters.where { $0.body.matches("swift") }
    let tokens = [try swift.observe(log.note), try swift.sorted(by: .rank).observe(ranked.note)]

    try store.write { letters[2].body = "Swift rain" }
    try store.write { letters[0].body = "No more of it" }
    try store.write { letters[1].pages = 7 }
    try store.write { try store.delete(letters[1]) }
    let other = try test.open()
    try other.write { try other.add(Letter(subject: "e", body: "swift")) }
    try store.refresh()

    // Letters that lead to a changed one count, too.
    #expect(log.take() == ["initial 2", "+2 *1", "-0 *1,2", "*0,1", "-0 *1", "+1"])
    #expect(ranked.take().count == 6)
    #expect(swift.map(\.subject) == ["c", "e"])
    for token in tokens { token.invalidate() }
  }

  @Test func bulkChangesTakeASearch() throws {
    try store.write {
      let count: Int = try store.update(
        Letter.self, set: ["body": "swallowed", "pages": 0], where: "body TEXT 'swift'",
        returning: .count)
      #expect(count == 2)
      #expect(try store.delete(Letter.self, where: "body TEXT 'swallowed'") == 2)
    }
    #expect(
      letters.map(\.subject) == ["c"] && letters.where { $0.body.matches("swallowed") }.isEmpty)
  }

  @Test func frozenResultsAndReferencesSearch() async throws {
    let frozen = try letters.where { $0.body.matches("swift") }.sorted(by: .rank).freeze()
    try store.write { try store.deleteAll() }

    #expect(frozen.map(\.subject) == ["b", "a"])
  }
}
