import Foundation
import StrataSchema
import Testing

/// What is refused can be given once more, and what is typed and not sent is neither lost nor passed over.
extension BrowseTypingTests {
  private func field(_ label: String) -> String {
    "document.querySelector('aside [aria-label=\"\(label)\"]')"
  }

  private func isSaveEnabled() throws -> Bool {
    try browser.evaluate("!buttons.save.disabled") == .bool(true)
  }

  private func waitForProblem(_ property: String, _ text: String) throws {
    try browser.wait(
      until: "\(problem(property)).includes('\(text)') && !document.body.ariaBusy")
  }

  @Test("A file that was refused can be chosen again", arguments: [false, true])
  func fileAgain(isLocked: Bool) throws {
    try "one".write(toFile: run.path("a.txt"), atomically: true, encoding: .utf8)
    let input = field("New element of parts")
    if isLocked {
      try go(to: "Key of the new element of parts")
      try type("k")
      try refuseNext()
      try browser.choose(run.path("a.txt"), in: input)
      try waitForProblem("parts", "did not finish in time. Try again when it has.")
    } else {
      try browser.choose(run.path("a.txt"), in: input)
      try waitForProblem("parts", "Type the key first")
      try go(to: "Key of the new element of parts")
      try type("k")
    }
    try browser.choose(run.path("a.txt"), in: input)
    try wait(forEdits: 1)
    let line = try saved()
    #expect(line.contains(#""parts":{"k":"b25l"}"#), "\(line)")
  }

  @Test("A choice that was refused is not shown as if it were stored, and can be made again")
  func choiceAgain() throws {
    func choose(_ value: String, _ label: String) throws {
      try browser.evaluate(
        "{ const field = \(field(label)); field.value = '\(value)'; field.dispatchEvent(new Event('change')); }"
      )
    }
    for (label, value) in [("mood", "bad"), ("done", "true")] {
      try refuseNext()
      try choose(value, label)
      try waitForProblem(label, "did not finish in time. Try again when it has.")
      #expect(try browser.evaluate("\(field(label)).value") == "")
      try choose(value, label)
      try wait(forEdits: 1)
      try browser.wait(until: "\(field(label)).value === '\(value)'")
      try browser.evaluate("change({do: 'revert'})")
      // What is refused before the answer has come would be drawn over by it.
      try browser.wait(until: "\(field(label)).value === '' && !document.body.ariaBusy")
    }
  }

  @Test("What is typed is sent again by Enter, and the sentence says so, also for an element")
  func elementAgain() throws {
    try go(to: "Element 1 of tags")
    try type("z")
    try refuseNext()
    try leave()
    try waitForProblem("tags", "Press Enter in the field again")
    try browser.evaluate("\(field("Element 1 of tags")).focus()")
    try browser.press("Enter", text: "\r")
    try wait(forEdits: 1)
    let line = try saved()
    #expect(line.contains(#""tags":["z","y"]"#), "\(line)")
  }

  @Test("Where a field holds what was refused, the others are saved, and the page says what is not")
  func saveBesideRefused() throws {
    try typeTitleAndWrongStars()
    try leaveRefused()
    try go(to: "title")
    try save()
    try browser.wait(
      until:
        "document.querySelector('.badge').hidden && failure.textContent === 'Saved; what is marked was not.'"
    )
    #expect(try stored("title || stars") == "One5.0")
    #expect(
      try browser.evaluate("[\(field("stars")).value, \(field("stars")).ariaInvalid]")
        == .array(["many", "true"]))
    // There is nothing else to be saved now.
    #expect(try isSaveEnabled())
    try browser.evaluate("failure.textContent = ''; buttons.save.click()")
    try browser.wait(until: "failure.textContent.includes('Nothing was saved')")
    try go(to: "stars")
    try type("8")
    #expect(try browser.evaluate("\(field("stars")).ariaInvalid") == .null)
    try save()
    try browser.wait(until: isSaved)
    #expect(try stored("title || stars") == "One8.0")
  }

  @Test("A save that fails is no refusal of what was typed, however often it is asked for")
  func saveTwice() throws {
    try go(to: "title")
    try type("One")
    try leave()
    try wait(forEdits: 1)
    try browser.evaluate(
      """
      { const real = fetch;
        window.fetch = async () => { await new Promise(done => { window.goOn = done; });
          window.fetch = real; return new Response(JSON.stringify({error: 'The disk is full.'}), {status: 400}); }; }
      """)
    try save()
    try browser.wait(until: "window.goOn")
    try save()
    try browser.evaluate("window.goOn()")
    try browser.wait(
      until: "failure.textContent === 'The disk is full.' && !document.body.ariaBusy")
    try browser.evaluate("new Promise(done => setTimeout(done))")
    #expect(try browser.evaluate("failure.textContent") == "The disk is full.")
    try save()
    try browser.wait(until: isSaved)
  }

  @Test("What is typed can be saved with the button, although nothing else is to be saved")
  func saveButton() throws {
    #expect(try !isSaveEnabled())
    try go(to: "title")
    try type("One")
    #expect(try isSaveEnabled())
    try browser.evaluate(
      "{ const field = document.activeElement; field.value = 'Old'; field.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    #expect(try !isSaveEnabled())
    try go(to: "title")
    try type("Two")
    try browser.evaluate("buttons.save.click()")
    try browser.wait(until: isSaved)
    #expect(try stored("title") == "Two")
    #expect(try !isSaveEnabled())
  }

  @Test("A new element that was typed and not added stays while others are edited, and is saved")
  func newElementStays() throws {
    try go(to: "New element of tags")
    try type("z")
    try go(to: "title")
    try type("One")
    try leave()
    try wait(forEdits: 1)
    try browser.wait(until: "\(field("New element of tags"))?.value === 'z'")
    try browser.evaluate("buttons.save.click()")
    try browser.wait(until: isSaved)
    #expect(try run.strata("export", "n.db").output.contains(#""tags":["x","y","z"]"#))
  }

  @Test("The key of a new element takes line breaks")
  func newKeyOfSeveralLines() throws {
    try go(to: "Key of the new element of marks")
    try type("a\nb")
    try go(to: "New element of marks")
    try type("2")
    try browser.press("Enter", text: "\r")
    try wait(forEdits: 1)
    let line = try saved()
    #expect(line.contains(#""marks":{"a":1,"a\nb":2}"#), "\(line)")
  }
}
