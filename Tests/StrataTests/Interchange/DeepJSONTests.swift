import Strata
import StrataTestModels
import Testing

/// Objects that lead to one another further than a text is worth following.
@Suite struct DeepJSONTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  /// Each has the one before in a list.
  private func chain(_ length: Int) -> Letter {
    (1..<length).reduce(Letter(subject: "0")) { answer, number in
      Letter(subject: "\(number)", answers: [answer])
    }
  }

  private func length(of letter: Letter) -> Int {
    var (length, rest) = (0, Optional(letter))
    while let next = rest { (length, rest) = (length + 1, next.answers.first) }
    return length
  }

  @Test func whatIsWrittenByDefaultIsReadAgain() throws {
    let letter = try test.added(chain(40))
    let copy = try store.write { try store.create(Letter.self, json: letter.json()) }
    #expect(length(of: copy) == Object.defaultJSONDepth + 1)
    #expect(letter.json(depth: .min) == letter.json(depth: 0))
  }

  /// What is embedded stands as deep in the last of many objects as in one alone.
  @Test func whatIsEmbeddedIsReadAgain() throws {
    let note = (1..<62).reduce(Node(name: "0")) { inner, number in
      Node(name: "\(number)", children: [inner])
    }
    let first = Reply(text: "0", note: note)
    let last = (1..<80).reduce(first) { Reply(text: "\($1)", quoted: [$0]) }
    try test.added(last)
    let text = last.json(depth: 80)
    #expect(text.contains(#""name":"0""#))
    let copy = try store.write { try store.create(Reply.self, json: text) }
    #expect(copy.json(depth: 80) == text)
  }

  /// However deep is asked for: no more than is read again, and than a stack holds.
  @Test func whatIsWrittenDeeplyIsReadAgain() throws {
    let letter = try test.added(chain(30_000))
    let text = letter.json(depth: .max)
    let copy = try store.write { try store.create(Letter.self, json: text) }
    #expect(length(of: copy) == Object.maximumJSONDepth + 1)
    #expect(copy.json(depth: .max) == text)
  }
}
