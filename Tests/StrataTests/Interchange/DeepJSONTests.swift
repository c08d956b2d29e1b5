import Foundation
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

  /// However deep is asked for: no more than is read again, and than a stack holds.
  @Test func whatIsWrittenDeeplyIsReadAgain() throws {
    let letter = try test.added(chain(30_000))
    let text = letter.json(depth: .max)
    let copy = try store.write { try store.create(Letter.self, json: text) }
    #expect(length(of: copy) == 64)
    #expect(copy.json(depth: .max) == text)
  }

  // MARK: Objects without a key that are met again

  private func count(_ word: String, in text: String) -> Int {
    text.components(separatedBy: word).count - 1
  }

  /// Between 14 of them there are billions of ways.
  @Test func lettersThatAllAnswerEachOther() throws {
    let letters = (0..<14).map { Letter(subject: "\($0)") }
    for letter in letters {
      letter.answers.append(contentsOf: letters.filter { $0 !== letter })
    }
    let first = try test.added(letters[0])
    let encoded = String(decoding: try JSONEncoder().encode(first), as: UTF8.self)
    var lines: [String] = []
    store.objects(Letter.self).where { $0.subject == "0" }.writeJSONLines { lines.append($0) }

    for text in [first.json(), encoded] + lines {
      let objects = count(#""subject""#, in: text)
      #expect((10_000...10_000 + 14 * 14).contains(objects), "\(objects)")
    }
    let copy = try JSONDecoder().decode(Letter.self, from: Data(encoded.utf8))
    #expect(Set(copy.answers.map(\.subject)).count == 13)
  }

  @Test func aSharedLetterBringsItsAnswersIntoEachPlace() throws {
    let shared = Letter(subject: "shared", answers: [Letter(subject: "last")])
    let replies = (0..<3).map { Letter(subject: "\($0)", reply: shared, answers: [shared]) }
    let text = try test.added(Letter(subject: "first", answers: replies)).json()

    #expect(count("shared", in: text) == 6 && count("last", in: text) == 6)
  }

  /// The bound is on what grows faster than the objects do.
  @Test func aSharedLetterBringsItsAnswersIntoThousandsOfPlaces() throws {
    let shared = Letter(subject: "shared", reply: Letter(subject: "last"))
    let answers = (0..<6_000).map { Letter(subject: "\($0)", reply: shared) }
    let text = Letter(subject: "first", answers: answers).json()

    #expect(count(#""shared""#, in: text) == 6_000 && count(#""last""#, in: text) == 6_000)
  }

  /// What leads nowhere is whole in any number of places.
  @Test func manyPlacesOfOneDog() throws {
    let rex = Dog(name: "Rex", age: 3)
    let ada = Person(id: 1, name: "Ada", dogs: Array(repeating: rex, count: 10_100))
    let copy = try JSONDecoder().decode(Person.self, from: JSONEncoder().encode(ada))

    #expect(copy.dogs.count == 10_100)
    #expect(copy.dogs.allSatisfy { $0.name == "Rex" && $0.age == 3 })
  }

  // MARK: Embedded objects

  @Test func whatIsEmbeddedIsReadAgain() throws {
    let reply = try test.added(Reply(text: "0", note: Self.nested(63)))
    let text = reply.json()
    #expect(text.contains(#""name":"last""#))
    let copy = try store.write { try store.create(Reply.self, json: text) }
    #expect(copy.json() == text)
  }

  /// Each in a list of the next one.
  private static func nested(_ count: Int) -> Node {
    (1..<count).reduce(Node(name: "last")) { Node(name: "\($1)", children: [$0]) }
  }

  /// Also on a thread that is not the main one, with the stack that some systems give it.
  @Test func theDeepestTextFitsIntoASmallStack() throws {
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      let first = Reply(text: "0", note: Self.nested(31))
      let last = (1...32).reduce(first) { Reply(text: "\($1)", quoted: [$0]) }
      let text = last.json()
      guard text.contains(#""name":"last""#), let test = try? TestStore() else { return }
      let isSame = try? test.store.write {
        try test.store.create(Reply.self, json: text).json() == text
      }
      if isSame == true { finished.signal() }
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(finished.wait(timeout: .now() + 600) == .success)
  }
}
