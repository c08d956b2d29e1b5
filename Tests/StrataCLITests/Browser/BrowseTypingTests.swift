import Foundation
import StrataSchema
import Testing

/// What is typed into the page of `strata browse` while it shows what became of an edit.
@Suite(
  "Typing in the page of a database", .enabled(if: Chromium.path != nil, Chromium.absence),
  .serialized)
struct BrowseTypingTests {
  let run: CommandRunner
  let command: RunningCommand
  let browser: Chromium

  init() throws {
    run = try CommandRunner()
    try FileManager.default.createDirectory(
      atPath: run.path("schemas"), withIntermediateDirectories: true)
    try """
    schema: Notes
    version: 1
    models:
      Note:
        properties:
          title: string
          stars: double?
          weight: double?
          tags: [string]
          marks: map<int>
          files: [data]
          extra: any?
          mood: Mood?
          done: bool?
          parts: map<data>
    enums:
      Mood: { type: string, cases: { good: good, bad: bad } }
    """.write(toFile: run.path("schemas/Note.yaml"), atomically: true, encoding: .utf8)
    try #"{"$model":"Note","title":"Old","stars":5,"tags":["x","y"],"marks":{"a":1}}"#
      .write(toFile: run.path("new.jsonl"), atomically: true, encoding: .utf8)
    for arguments in [["freeze"], ["create", "n.db"], ["import", "n.db", "new.jsonl"]] {
      let result = try run.strata(arguments)
      #expect(result.status == 0, "\(result.errors)")
    }
    command = try run.startStrata("browse", "n.db", "--json")
    let line = try #require(command.nextLine())
    let address = try #require(try JSON.parse(line)["address"]?.string)
    browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length === 1")
    try browser.evaluate("document.querySelector('.tr').click()")
    try browser.wait(until: "document.querySelector('aside [data-name=marks] .element')")
    try browser.wait(until: "document.querySelector('aside [data-name=tags] .element')")
  }

  /// Goes to a field, as Tab does: what stands in it is selected.
  func go(to label: String) throws {
    try browser.evaluate(
      """
      { const field = document.querySelector(`aside [aria-label="\(label)"]`); field.focus(); field.select(); }
      """)
  }

  func type(_ text: String) throws {
    try browser.call("Input.insertText", ["text": .string(text)])
  }

  func leave() throws { try browser.evaluate("document.activeElement.blur()") }

  /// Waits until a number of edits was made, and the page shows what became of them.
  func wait(forEdits count: Int) throws {
    try browser.wait(
      until:
        "document.querySelector('.badge').textContent.startsWith('\(count) unsaved') && !document.body.ariaBusy"
    )
  }

  /// The field that has the keyboard: its label, and what is in it.
  func active() throws -> [String] {
    try browser.evaluate(
      "[document.activeElement.ariaLabel ?? '', document.activeElement.value ?? '']"
    ).array?.compactMap(\.string) ?? []
  }

  /// Saves, ends the command and reads the file.
  func saved() throws -> String {
    try browser.evaluate(
      "[...document.querySelectorAll('header button')].find(b => b.textContent === 'Save').click()")
    try browser.wait(until: "document.querySelector('.badge').hidden && !document.body.ariaBusy")
    #expect(browser.problems.isEmpty, "\(browser.problems)")
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
    return try run.strata("export", "n.db").output
  }

  @Test("What is typed into the next field stays while the page shows the edit of the last one")
  func nextField() throws {
    try go(to: "weight")
    try type("3")
    try go(to: "stars")
    try type("1")
    try wait(forEdits: 1)
    #expect(try active() == ["stars", "1"])
    try type("2345")
    try leave()
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""stars":12345"#) && line.contains(#""weight":3"#), "\(line)")
  }

  @Test("What is selected in the next field stays selected")
  func selection() throws {
    try go(to: "weight")
    try type("3")
    try go(to: "stars")
    try wait(forEdits: 1)
    try type("7")
    try leave()
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""stars":7"#), "\(line)")
  }

  @Test("Elements that are typed one behind the other are added as they are typed")
  func elements() throws {
    try go(to: "New element of tags")
    try type("one")
    // The second one is typed before the first is stored.
    try browser.evaluate(
      """
      { const field = document.activeElement;
        field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        field.value = 'two'; }
      """)
    try wait(forEdits: 1)
    try browser.wait(until: "document.activeElement.ariaLabel === 'New element of tags'")
    #expect(try active() == ["New element of tags", "two"])
    try browser.press("Enter", text: "\r")
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""tags":["x","y","one","two"]"#), "\(line)")
  }

  @Test("An element that is typed twice is added twice")
  func equalElements() throws {
    try go(to: "New element of tags")
    try type("one")
    try browser.evaluate(
      """
      { const field = document.activeElement;
        const enter = () => field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        enter(); field.value = 'one'; enter(); }
      """)
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""tags":["x","y","one","one"]"#), "\(line)")
  }

  @Test("An element that is refused comes back into its field")
  func refusedElement() throws {
    try go(to: "Key of the new element of marks")
    try type("b")
    try go(to: "New element of marks")
    try type("many")
    try browser.press("Enter", text: "\r")
    try browser.wait(
      until: "document.querySelector('[data-name=marks] .error').textContent.includes('is no int')")
    try browser.wait(until: "!document.body.ariaBusy && document.activeElement.value === 'many'")
    try go(to: "New element of marks")
    try type("2")
    try browser.press("Enter", text: "\r")
    try wait(forEdits: 1)
    let line = try saved()
    #expect(line.contains(#""marks":{"a":1,"b":2}"#), "\(line)")
  }

  @Test("A field that kept the keyboard shows the stored value when it is left")
  func staleField() throws {
    try go(to: "title")
    try browser.evaluate(
      "ask({do: 'set', model: 'Note', id: shown.id, property: 'title', value: {text: 'New'}})")
    try browser.evaluate(
      "change({do: 'set', model: 'Note', id: shown.id, property: 'weight', value: {text: '4'}})")
    #expect(try active() == ["title", "Old"])
    try leave()
    try browser.wait(
      until: "document.querySelector('aside [data-name=title] textarea').value === 'New'")
    try browser.wait(
      until: "document.querySelector('aside [data-name=weight] input').value === '4.0'")
  }

  @Test("A field whose value another process has changed shows that, and what was not stored")
  func changedMeanwhile() throws {
    try go(to: "title")
    try type("Mine")
    let written = try run.shell("sqlite3 n.db \"UPDATE Note SET title = 'Theirs'\"")
    #expect(written.status == 0, "\(written.errors)")
    try leave()
    try browser.wait(
      until:
        "document.querySelector('[data-name=title] .error').textContent.includes('changed meanwhile')"
    )
    try browser.evaluate("watch()")
    #expect(
      try browser.evaluate("document.querySelector('[data-name=title] textarea').value")
        == "Theirs")
    #expect(
      try browser.evaluate(
        "document.querySelector('[data-name=title] .error').textContent.includes('Mine')"
      ) == .bool(true))
    #expect(try browser.evaluate("document.querySelector('.badge').hidden") == .bool(true))
  }

  @Test("Line breaks that are not typed stay what they are")
  func lineBreaks() throws {
    for (stored, shown, expected) in [
      // Each kind, before and behind what was typed.
      ("a\r\nb\nc\rd", "a\nb\nc\ndZ", "a\r\nb\nc\rdZ"),
      ("a\r\nb\nc\rd", "Za\nb\nc\nd", "Za\r\nb\nc\rd"),
      ("a\r\nb\nc\rd", "a\nd", "a\r\nd"),
      // A new one is what the text has most.
      ("a\r\nb\r\nc\nd", "a\nx\ny\nb\nc\nd", "a\r\nx\r\ny\r\nb\r\nc\nd"),
      ("a\rb", "a\nb\nc", "a\rb\rc"), ("ab", "a\nb", "a\nb"),
      // Two lines that come together stay two.
      ("a\rb\nc", "a\n\nc", "a\r\r\nc"),
      ("a\0\r\nb\n", "a␀\nb\nc", "a\0\r\nb\nc"),
    ] {
      let arguments = JSON.array([.string(stored), .string(shown)]).canonicalText
      #expect(try browser.evaluate("given(...\(arguments))") == .string(expected))
    }
  }

  @Test("A text with line breaks of several kinds keeps them when something is typed at its end")
  func severalLineBreaks() throws {
    try browser.evaluate(
      "change({do: 'set', model: 'Note', id: shown.id, property: 'title', value: {text: 'a\\r\\nb\\nc\\rd'}})"
    )
    try browser.wait(
      until: "document.querySelector('aside [data-name=title] textarea').value.length === 7")
    try browser.evaluate(
      "{ const field = document.querySelector('aside [data-name=title] textarea'); field.focus(); field.setSelectionRange(7, 7); }"
    )
    try type("Z")
    try leave()
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""title":"a\r\nb\nc\rdZ""#), "\(line)")
  }

  @Test("A value that is refused stays in its field, and what is wrong with it below")
  func refusedValue() throws {
    try go(to: "stars")
    try type("many")
    try browser.press("Enter", text: "\r")
    let field = "document.querySelector('aside [data-name=stars] input')"
    let problem = "document.querySelector('aside [data-name=stars] .error').textContent"
    try browser.wait(until: "\(problem).includes('is no double')")
    try browser.evaluate("document.activeElement.blur()")
    // As the page does once a second.
    try browser.evaluate("watch()")
    #expect(try browser.evaluate("\(field).value") == "many")
    #expect(try browser.evaluate("\(problem).includes('is no double')") == .bool(true))
  }
}
