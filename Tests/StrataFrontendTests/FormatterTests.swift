import Foundation
import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML
import Testing

@Suite struct FormatterTests {
  func format(_ text: String) throws -> String {
    var diagnostics = Diagnostics()
    let file = YAMLFormatter.format(
      SourceFile(path: "a.yaml", text: text), reporting: &diagnostics)
    return try #require(file.map { $0.text(in: 0..<$0.bytes.count) })
  }

  /// To Swift a quote with an accent on it is one character.
  @Test(arguments: ["it''\u{301}s a \"b\"", "'' \"\u{301}"])
  func aQuoteStaysOne(content: String) throws {
    let text =
      "schema: A\nversion: 0\nmodels:\n  B: { doc: '\(content)', properties: { c: int } }\n"
    let once = try format(text)
    #expect(once.utf8.elementsEqual(try format(once).utf8))
    func doc(_ text: String) -> String? {
      var diagnostics = Diagnostics()
      return SchemaCompiler.compile(
        [SourceFile(path: "a.yaml", text: text)], reporting: &diagnostics)?.schema.models.first?.doc
    }
    #expect(doc(once).map { Array($0.utf8) } == doc(text).map { Array($0.utf8) })
    #expect(doc(text) != nil)
  }

  @Test func aSchemaIsFormatted() throws {
    let untidy = """
      \u{FEFF}---
      # The people.

      schema:   People      # the name
      version:  2
      models:
          # Whoever is in the address book.
          Person:   # a person
            doc:   'A person in the "address" book.'
            primaryKey:   id


            indexes:   [  [lastName,firstName] ]   # in order
            properties:
                id: uuid   \t
                # The whole name.
                fullName:    string                 # required
                age: {type: int,default: 0,   indexed: true}
                dogs: [ Dog ]

                notes: {type: string, default: 'x', # why
                   doc: Notes.}
                # the last one
          Dog: { properties: { name: string, description: { type: string, swiftName: text, doc: "It goes on for quite a while" } } }
          # no more models
      enums:
          Mood: {cases: {calm: "c",   angry: 'a'}}
      # the end
      """
    let tidy = """
      # The people.

      schema: People  # the name
      version: 2
      models:
        # Whoever is in the address book.
        Person:  # a person
          doc: 'A person in the "address" book.'
          primaryKey: id

          indexes: [[lastName, firstName]]  # in order
          properties:
            id: uuid
            # The whole name.
            fullName: string  # required
            age: { type: int, default: 0, indexed: true }
            dogs: [Dog]

            notes:
              type: string
              default: "x"  # why
              doc: Notes.
            # the last one
        Dog:
          properties:
            name: string
            description: { type: string, swiftName: text, doc: "It goes on for quite a while" }
        # no more models
      enums:
        Mood: { cases: { calm: "c", angry: "a" } }
      # the end

      """
    #expect(try format(untidy) == tidy)
    #expect(try format(tidy) == tidy)
    #expect(try format(untidy.replacing("\n", with: "\r\n")) == tidy)
  }

  @Test(arguments: ["|", ">", "|-", ">+", "|2", ">-2"])
  func commentsBehindTheHeadOfABlockStay(_ head: String) throws {
    let formatted = try format("a:   \(head)   # why\n    x\nb: # c\n  - |  # d\n    y\n# e\n")
    // With the number two of the four spaces belong to the text.
    let (tidyHead, text) =
      head.contains("2") ? (head == "|2" ? "|2" : ">2-", "    x") : (head, "  x")
    #expect(formatted == "a: \(tidyHead)  # why\n\(text)\nb:  # c\n  - |  # d\n    y\n# e\n")
    #expect(try format(formatted) == formatted)
  }

  /// White space at the end of a block belongs to its text, and so does that the file ends within it.
  @Test(arguments: [
    ("a:  |-\n  x \nb: 1\n", "a: |-\n  x \nb: 1\n"),
    ("a:  >-\n    x \n    y  \nb: 1", "a: >-\n  x \n  y  \nb: 1\n"),
    ("a:  >\n  x\t\n", "a: >\n  x\t\n"),
    ("a:  |\n  x\n    \nb: 1\n", "a: |\n  x\n    \nb: 1\n"),
    ("a:  |+\n  x\n    \nb: 1\n", "a: |+\n  x\n    \nb: 1\n"),
    ("a:  |\n  x", "a: |-\n  x\n"),
    ("a:  >+\n   x\n   y", "a: >-\n  x\n  y\n"),
    ("a:  |\n  x\n   ", "a: |-\n  x\n   \n"),
    ("a:  |\n  x\n  ", "a: |\n  x\n"),
    ("- |\r\n   x", "- |-\n  x\n"),
    ("|\n x", "|-\n  x\n"),
  ])
  func whereABlockEndsIsKept(untidy: String, tidy: String) throws {
    #expect(try format(untidy) == tidy)
    #expect(try format(tidy) == tidy)
  }

  /// The number stays where the text begins with white space, and no text becomes one of quotes.
  @Test(arguments: [
    ("|2-", "  x AND\n  y", "|-", "  x AND\n  y"), ("|-1", " x\n  y", "|-", "  x\n   y"),
    ("|4", "     x\n    y", "|2", "   x\n  y"), ("|1+", " \tx\n", "|2+", "  \tx\n"),
    (">2-", "\n  x\n  y", ">-", "\n  x\n  y"), (">3", "    x\n   y", ">2", "   x\n  y"),
    (">-1", " \tx", ">2-", "  \tx"), ("|", "  \u{301}x", "|", "  \u{301}x"),
    (">", " x\u{85} y", "|", "  x y"),
  ])
  func blocksWithANumberStayBlocks(head: String, text: String, tidyHead: String, tidyText: String)
    throws
  {
    let once = try format("a:  \(head)\n\(text)\nb:  1\n")
    #expect(once == "a: \(tidyHead)\n\(tidyText)\nb: 1\n")
    #expect(try format(once) == once)
  }

  /// With U+2028 in it a block would be another text to readers of YAML 1.2 than to those of 1.1, in quotes it is one.
  @Test(arguments: ["\u{2028}", "\u{2029}"])
  func aBlockWithASeparatorIsWrittenInQuotes(_ separator: String) throws {
    let escape = separator == "\u{2028}" ? "\\u2028" : "\\u2029"
    let tidy = "a: \"x\(escape)y\\n\"\nb: 1\n"
    #expect(try format("a:  |\n  x\(separator)  y\nb:  1\n") == tidy)
    #expect(try format(tidy) == tidy)
  }

  /// An empty line between them was written as an element.
  @Test func commentsInBracketsStandAboveTheDash() throws {
    let tidy = "a:\n  # c\n\n  # d\n  - - k\n  # e\n\n  # f\n  - b: 1\n"
    #expect(try format("a: [[ # c\n\n  # d\n  k ], { # e\n\n  # f\n  b: 1 }]\n") == tidy)
    #expect(try format(tidy) == tidy)
  }

  @Test func aStepIsFormatted() throws {
    let tidy = """
      to: 2
      rename: { Person.nickname: nick, Human: Person }  # old name: new name
      set:
        Person:
          fullName: old.firstName + ' ' +
            old.lastName  # folded
          mood: if(old.angry, 'angry', 'calm')
      drop: [Human.firstName]
      accept:
        # agreed
        - rule: property-removed
          at: Human.phone
          because: >-
            GDPR-114,
              as was said
        - { rule: x, at: A.b, because: c }  # short

      """
    let untidy = """
      to: 2
      rename:      { Person.nickname: nick,    Human: Person }      # old name: new name
      set:
       Person:
        fullName: old.firstName + ' ' +
                old.lastName # folded
        mood: if(old.angry, 'angry', 'calm')
      drop:     [Human.firstName]
      accept:
      # agreed
      - rule: property-removed
        at: Human.phone
        because: >-
           GDPR-114,
             as was said
      - {rule: x, at: A.b, because: c} # short
      """
    #expect(try format(untidy) == tidy)
    #expect(try format(tidy) == tidy)
  }

  @Test(arguments: [
    "", "# only a comment\n", "\n\n# a\n\n\n# b\n\n", "a:\n", "a: ~\n", "- a\n-\n- - b\n  - c\n",
    "[]", "{}", "x",
    "'quoted'", "|\n  text\n", "a: |+\n  x\n\n\nb: 1\n", "a: |2\n   x\nb: >\n\n  y\n  z\n\nc: 1",
    "a: \"x\\\n   y\"\nb: 'it''s'\nc: \"\\u00e9\\0\\t\\x1b\"\n", "? a\n: b\n",
    "a: [b: c, {d: , e: null}]\n",
    "a: { b: 1, # one\n  c: [1, # two\n 2], # three\n d: 3 } # four\n",
    "a: # x\n  # y\n  b: # z\n    c\n",
    "a:\n  # only\n  - b # c\n\n  # d\n  -   c: 1\n\n      d: 2\n  # e\n# f\nb: 1\n",
    "a: [\n# x\n]\n",
    "a: b\n  c\n\n  d\ne: 'x\n\n  y'\n", "---\na: 1\n...\n# x\n", "---\n", "# x\n---\n# y\n",
    "a: !\n",
    "\"a b\": 'c'\n'd': e\n",
    "a: {b: {c: {d: {e: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}}}}\n",
    "- # a\n  b: 1 # c\n- # d\n  - 1\n- # e\n  x\n", "a:\t1 # b\t\n",
    "a: |- # c\n  x # y\n  # z\n # w\nb: 1\n",
    "# a\n\nb: 1\n\n\n\n# c\n# d\n\ne: 1", "a:\n- b\n# c\n- d\n# e\nf: 1\n", "a: { ? b : c }",
    "a: '#x'#y\n",
  ])
  func meaningAndCommentsStay(text: String) throws {
    var diagnostics = Diagnostics()
    let source = SourceFile(path: "a.yaml", text: text)
    guard let document = YAMLComposer.compose(source, reporting: &diagnostics), diagnostics.isEmpty
    else { return }
    let once = try format(text)
    #expect(try format(once) == once)
    let again = try #require(
      YAMLComposer.compose(SourceFile(path: "a.yaml", text: once), reporting: &diagnostics))
    if let old = document.root, let new = again.root {
      #expect(old.says(sameAs: new))
    } else {
      #expect(document.root == nil && again.root == nil)
    }
    // The formatter gives its input back where it would lose something: it never has to.
    #expect(once == "" || once.hasSuffix("\n"))
    #expect(!once.contains("\t") || text.contains("\\t"))
    let isTidy = !once.split(separator: "\n").contains { $0.hasSuffix(" ") }
    #expect(isTidy)
  }
}
