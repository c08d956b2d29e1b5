import Foundation
import StrataSchema
import Testing

/// Saving while something is being typed, and what is typed while the command cannot take it.
extension BrowseTypingTests {
  func save() throws {
    try browser.evaluate(
      "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 's', ctrlKey: true, bubbles: true, cancelable: true}))"
    )
  }

  private func isWarnedOnLeaving() throws -> Bool {
    try browser.evaluate(
      """
      (() => { const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented; })()
      """) == .bool(true)
  }

  func stored(_ column: String) throws -> String {
    try run.shell("sqlite3 n.db 'SELECT \(column) FROM Note'").output
      .trimmingCharacters(in: .newlines)
  }

  func problem(_ property: String) -> String {
    "document.querySelector('aside [data-name=\(property)] .error').textContent"
  }

  var isSaved: String {
    "document.querySelector('.badge').hidden && !document.body.ariaBusy && document.getElementById('said').textContent === 'saved'"
  }

  /// Edits the title, and types what is no number into the next field.
  func typeTitleAndWrongStars() throws {
    try go(to: "title")
    try type("One")
    try go(to: "stars")
    try wait(forEdits: 1)
    try type("many")
  }

  /// Leaves the field with what is no number.
  func leaveRefused() throws {
    try leave()
    try browser.wait(
      until: "\(problem("stars")).includes('is no double') && !document.body.ariaBusy")
  }

  @Test("What is being typed is saved with everything else, and typing goes on in the same field")
  func saveWhileTyping() throws {
    try go(to: "title")
    try type("One")
    #expect(try isWarnedOnLeaving())
    try save()
    try browser.wait(until: isSaved)
    #expect(try stored("title") == "One")
    #expect(try active() == ["title", "One"])
    #expect(try !isWarnedOnLeaving())

    try go(to: "stars")
    try type("7")
    try go(to: "title")
    try wait(forEdits: 1)
    try type("Two")
    try save()
    try browser.wait(until: isSaved + " && document.activeElement.value === 'Two'")
    #expect(try stored("title || stars") == "Two7.0")
  }

  @Test("Nothing is saved where what is being typed is refused")
  func saveOfRefused() throws {
    try typeTitleAndWrongStars()
    try save()
    try browser.wait(
      until:
        "\(problem("stars")).includes('is no double') && failure.textContent && !document.body.ariaBusy"
    )
    #expect(try stored("title") == "Old")
    #expect(
      try browser.evaluate("failure.textContent.includes('Nothing was saved')") == .bool(true))
    #expect(try active() == ["stars", "many"])
    #expect(try isWarnedOnLeaving())
    #expect(try browser.evaluate("document.getElementById('said').textContent") != "saved")
    try go(to: "stars")
    try type("8")
    try save()
    try browser.wait(until: isSaved)
    #expect(try stored("title || stars") == "One8.0")
  }

  @Test("A new element that is being typed is added and saved")
  func saveOfNewElement() throws {
    try go(to: "New element of tags")
    try type("z")
    try save()
    try browser.wait(until: isSaved)
    #expect(try run.strata("export", "n.db").output.contains(#""tags":["x","y","z"]"#))
  }

  @Test("What was refused because another process writes is sent again as it is")
  func retry() throws {
    try go(to: "stars")
    try type("7")
    try refuse()
    // Other values may be edited meanwhile.
    try go(to: "title")
    try type("New")
    try leave()
    try wait(forEdits: 1)
    #expect(
      try browser.evaluate("document.querySelector('aside [data-name=stars] input').value") == "7")
    #expect(try isWarnedOnLeaving())
    try browser.evaluate("document.querySelector('aside [aria-label=stars]').focus()")
    try leave()
    try wait(forEdits: 2)
    #expect(try browser.evaluate(problem("stars")) == "")
    let line = try saved()
    #expect(line.contains(#""stars":7"#) && line.contains(#""title":"New""#), "\(line)")
  }

  @Test("What was refused is let go of where edits are taken back")
  func forgetsRefused() throws {
    try typeTitleAndWrongStars()
    try leaveRefused()
    try browser.evaluate("buttons.undo.click()")
    try browser.wait(until: "document.querySelector('.badge').hidden && !document.body.ariaBusy")
    try browser.wait(
      until: "document.querySelector('aside [data-name=stars] input').value === '5.0'")
    #expect(try !isWarnedOnLeaving())
  }

  /// Has the next question refused as if another process wrote.
  func refuseNext() throws {
    try browser.evaluate(
      """
      { const real = fetch;
        window.fetch = async () => { window.fetch = real; return new Response(
          JSON.stringify({error: 'Another process is writing n.db and did not finish in time.', code: 'STR5007'}), {status: 400}); }; }
      """)
  }

  /// Has what is typed into `stars` refused so.
  private func refuse() throws {
    try refuseNext()
    try leave()
    try browser.wait(
      until:
        "\(problem("stars")).includes('Press Enter in the field again') && !document.body.ariaBusy")
  }

  @Test("A key of several lines keeps them when it is edited")
  func keyOfSeveralLines() throws {
    try browser.evaluate(
      "change({do: 'element', model: 'Note', id: shown.id, property: 'marks', change: {put: {text: '2'}, key: 'a\\r\\nb', isNew: true}})"
    )
    let key = "document.querySelector('aside [data-name=marks] textarea.key')"
    try browser.wait(until: "\(key)?.value === 'a\\nb'")
    try browser.evaluate("{ const field = \(key); field.focus(); field.setSelectionRange(3, 3); }")
    try type("c")
    try leave()
    try wait(forEdits: 2)
    let line = try saved()
    #expect(line.contains(#""marks":{"a":1,"a\r\nbc":2}"#), "\(line)")
  }

  @Test("A page of a command that was started anew says so")
  func startedAnew() throws {
    try browser.evaluate("window.fetch = async () => new Response('Refused.', {status: 403})")
    try browser.evaluate("watch()")
    let note = "document.querySelector('.note').textContent"
    #expect(
      try browser.evaluate(note).string?.contains(
        "was started anew: open the address that it prints") == true)
    try go(to: "title")
    try type("New")
    try leave()
    try browser.wait(until: "\(problem("title")).includes('was started anew')")
    #expect(browser.problems.isEmpty, "\(browser.problems)")
  }

  @Test(
    "What is wrong in a condition is marked where it is; the count of other objects goes with them")
  func condition() throws {
    try browser.evaluate("field.input.value = '  titel == 1'; field.check()")
    #expect(try browser.evaluate("document.querySelector('.problem code').textContent") == "titel")
    #expect(try browser.evaluate("counted.textContent") == "1 object")
    try browser.evaluate("go({model: 'Note', filter: 'titel == 1', sort: []})")
    try browser.wait(until: "counted.textContent === '' && field.problem.textContent !== ''")
    try browser.evaluate("go({model: 'Note', filter: '', sort: []})")
    try browser.wait(until: "counted.textContent === '1 object'")
  }

  @Test("Data in a list is shown, saved as a file, and replaced by the content of files")
  func dataElements() throws {
    func choose(_ text: String, for label: String) throws {
      try browser.evaluate(
        """
        { const input = document.querySelector(`aside [data-name=files] [aria-label="\(label)"]`);
          const files = new DataTransfer(); files.items.add(new File(['\(text)'], 'a.txt')); input.files = files.files;
          input.dispatchEvent(new Event('change')); }
        """)
    }
    try choose("one", for: "New element of files")
    try wait(forEdits: 1)
    let element = "document.querySelector('aside [data-name=files] .element')"
    try browser.wait(until: "\(element)?.textContent.includes('3 bytes')")
    try choose("other", for: "New content of element 1 of files")
    try wait(forEdits: 2)
    try browser.wait(until: "\(element)?.textContent.includes('5 bytes')")
    #expect(
      try browser.evaluate("fetch(\(element).querySelector('a').href).then(a => a.text())")
        == "other")
    #expect(try browser.namelessElements() == [])
    let line = try saved()
    #expect(line.contains(#""files":["b3RoZXI="]"#), "\(line)")
  }

  @Test("A link in a property of any type is set to nothing")
  func linkOfAnyType() throws {
    try #"{"$model":"Note","$id":7,"title":"Other","extra":{"$model":"Note","$id":7}}"#
      .write(toFile: run.path("more.jsonl"), atomically: true, encoding: .utf8)
    let result = try run.strata("import", "n.db", "more.jsonl")
    #expect(result.status == 0, "\(result.errors)")
    try browser.evaluate(
      "ask({do: 'rows', model: 'Note', filter: \"title == 'Other'\", sort: []}).then(page => openObject('Note', page.rows[0].id, 'old'))"
    )
    let field = "document.querySelector('aside [data-name=extra]')"
    try browser.wait(until: "\(field)?.textContent.includes('→ Note')")
    try browser.evaluate("\(field).querySelector('[aria-label=\"Set extra to nil\"]').click()")
    try wait(forEdits: 1)
    try browser.wait(until: "\(field)?.querySelector('input')?.placeholder === 'nil'")
    _ = try saved()
  }
}
