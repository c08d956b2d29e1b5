import Foundation
import RealmFixtures
import StrataSchema
import Testing

/// `strata browse`, as its user sees it.
@Suite(
  "A database, in Chromium", .enabled(if: Chromium.path != nil, Chromium.absence), .serialized)
struct BrowsePageTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  /// The running command, and the address that it prints.
  private func serve(_ file: String, _ more: String...) throws -> (RunningCommand, String) {
    try serve(file, more: more)
  }

  private func serve(
    _ file: String, more: [String], environment: [String: String] = [:]
  ) throws -> (RunningCommand, String) {
    let command = try run.startPeople(["browse", file, "--json"] + more, environment: environment)
    let line = try #require(command.nextLine())
    let address = try #require(try JSON.parse(line)["address"]?.string)
    return (command, address)
  }

  private func expectClean(
    _ browser: Chromium, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(browser.problems.isEmpty, "\(browser.problems)", sourceLocation: location)
    #expect(try browser.namelessElements() == [], sourceLocation: location)
    #expect(try browser.axeFindings() ?? [] == [], sourceLocation: location)
  }

  private func text(_ browser: Chromium, _ selector: String) throws -> String {
    try browser.evaluate("document.querySelector(`\(selector)`)?.textContent ?? ''").string ?? ""
  }

  private func type(_ text: String, into selector: String, _ browser: Chromium) throws {
    try browser.evaluate(
      """
      (() => { const e = document.querySelector(`\(selector)`); e.focus(); e.value = \(JSON.string(text).canonicalText);
        e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})); })()
      """)
  }

  @Test("Filter, sort, follow links, edit, undo and save")
  func everything() throws {
    #expect(try run.people("create", "p.db", "--version", "5", "--sample", "30").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length > 5")
    #expect(try text(browser, "nav button[aria-current=true]").contains("Person"))
    try expectClean(browser)

    // A condition that is wrong is told at its place; a right one narrows.
    try type("agee > 1", into: ".filter input", browser)
    try browser.wait(until: "document.querySelector('.problem code')?.textContent === 'agee'")
    try type("age >= 0 OR age < 0", into: ".filter input", browser)
    try browser.wait(until: "document.querySelector('.problem').textContent === ''")
    try type("", into: ".filter input", browser)
    // The condition is gone a moment later, and the rows are asked for anew then.
    try browser.wait(
      until:
        "query.filter === '' && grids[0].asked.size === 0 && document.querySelector('.bar .soft').textContent === '30 objects'"
    )

    try browser.evaluate(
      "[...document.querySelectorAll('.th button')].find(b => b.textContent.startsWith('age')).click()"
    )
    try browser.wait(
      until: "document.querySelector('[aria-sort=ascending]')?.textContent.startsWith('age')")

    // An object, its links, and back.
    try browser.evaluate("document.querySelector('.tr').click()")
    try browser.wait(until: "document.querySelector('aside h2')?.textContent.startsWith('Person ')")
    try expectClean(browser)
    let name = "aside [data-name=fullName] textarea"
    try type("Ada <b>Lovelace</b>", into: name, browser)
    try browser.wait(
      until:
        "document.querySelector('.badge').textContent === '1 unsaved change' && !document.body.ariaBusy"
    )
    try type("much", into: "aside [data-name=age] input", browser)
    try browser.wait(
      until: "document.querySelector('[data-name=age] .error').textContent.includes('is no int')")
    try browser.evaluate(
      "[...document.querySelectorAll('header button')].find(b => b.textContent === 'Undo').click()")
    try browser.wait(
      until: "document.querySelector('.badge').hidden && !document.body.ariaBusy")
    try type("Ada <b>Lovelace</b>", into: name, browser)
    try browser.wait(
      until: "!document.querySelector('.badge').hidden && !document.body.ariaBusy")
    try browser.evaluate(
      "[...document.querySelectorAll('header button')].find(b => b.textContent === 'Save').click()")
    try browser.wait(until: "document.querySelector('.badge').hidden")
    let lines = try run.people("export", "p.db", "--model", "Person").output
    #expect(lines.contains("\"fullName\":\"Ada <b>Lovelace</b>\""))
    try expectClean(browser)
  }

  @Test("Elements and embedded objects of collections are edited, and taken back")
  func collections() throws {
    #expect(try run.people("create", "p.db", "--version", "5", "--sample", "3").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length === 3")
    try browser.evaluate("document.querySelector('.tr').click()")
    try browser.wait(until: "document.querySelector('aside [data-name=dogs] .row')")
    let dogs = "document.querySelectorAll('aside [data-name=dogs] .element').length"
    let before = try #require(try browser.evaluate(dogs).int)
    try browser.evaluate("document.querySelector('[data-name=dogs] [aria-label^=Add]').click()")
    try browser.wait(until: "document.querySelector('[data-name=dogs] .picker li button')")
    try browser.evaluate("document.querySelector('[data-name=dogs] .picker li button').click()")
    try browser.wait(until: "\(dogs) === \(before + 1) && !document.body.ariaBusy")
    try browser.evaluate(
      "[...document.querySelectorAll('[data-name=dogs] [aria-label^=Remove]')].at(-1).click()")
    try browser.wait(until: "\(dogs) === \(before) && !document.body.ariaBusy")
    #expect(try text(browser, ".badge") == "2 unsaved changes")
    try expectClean(browser)
  }

  @Test("A new object: what it has to have is asked for, and refused where it is wrong")
  func newObject() throws {
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('nav button').length > 1")
    let create =
      "[...document.querySelectorAll('.bar button')].find(b => b.textContent === 'New object').click()"
    try browser.evaluate(create)
    try browser.wait(until: "document.querySelectorAll('dialog .field').length === 2")
    try expectClean(browser)
    try type("<b>Ada</b>", into: "dialog [data-name=fullName] textarea", browser)
    try type("many", into: "dialog [data-name=age] input", browser)
    let add = "document.querySelector('dialog button.main').click()"
    try browser.evaluate(add)
    try browser.wait(
      until: "document.querySelector('dialog .error').textContent.includes('is no int')")
    try type("36", into: "dialog [data-name=age] input", browser)
    // A button that is pressed twice makes one object.
    try browser.evaluate(add + ";" + add)
    try browser.wait(
      until:
        "!document.querySelector('dialog') && document.querySelector('aside [data-name=fullName] textarea')?.value === '<b>Ada</b>'"
    )
    #expect(try text(browser, ".badge") == "1 unsaved change")
    // Nothing is made where the form is left.
    try browser.evaluate(create)
    try browser.wait(until: "document.querySelector('dialog')")
    try browser.press("Escape")
    try browser.wait(until: "!document.querySelector('dialog')")
    #expect(try text(browser, ".badge") == "1 unsaved change")
    try expectClean(browser)
  }

  @Test("U+0000 in a text is seen, and stays when the text is edited")
  func textWithNUL() throws {
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    try #"{"$model":"Person","fullName":"Ada\u0000L","age":1}"#
      .write(toFile: run.path("new.jsonl"), atomically: true, encoding: .utf8)
    #expect(try run.people("import", "p.db", "new.jsonl").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelector('.tr')?.textContent.includes('Ada␀L')")
    try browser.evaluate("document.querySelector('.tr').click()")
    let name = "aside [data-name=fullName] textarea"
    try browser.wait(until: "document.querySelector(`\(name)`)?.value === 'Ada␀L'")
    #expect(try text(browser, "aside [data-name=fullName]").contains("␀ stands for U+0000"))
    try type("Ada␀Lovelace", into: name, browser)
    try browser.wait(
      until: "!document.querySelector('.badge').hidden && !document.body.ariaBusy")
    try browser.evaluate(
      "[...document.querySelectorAll('header button')].find(b => b.textContent === 'Save').click()")
    try browser.wait(until: "document.querySelector('.badge').hidden")
    #expect(try run.people("export", "p.db").output.contains(#""Ada\u0000Lovelace""#))
    try expectClean(browser)
  }

  @Test("An encrypted database, by its key", arguments: [true, false])
  func encrypted(namesKeyByOption: Bool) throws {
    try Data((0..<32).map { UInt8($0 &* 5 &+ 1) }).write(
      to: run.folder.appendingPathComponent("a.key"))
    #expect(
      try run.people(
        ["create", "p.db", "--version", "5", "--sample", "7", "--key-file", "a.key"],
        asNobody: false
      ).status == 0)
    let without = try run.people("browse", "p.db", "--json")
    #expect(without.status == 3 && without.errors.contains("STR5106"), "\(without.errors)")
    let (command, address) =
      namesKeyByOption
      ? try serve("p.db", "--key-file", "a.key")
      : try serve("p.db", more: [], environment: ["STRATA_KEY_FILE": "a.key"])
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelector('.bar .soft').textContent === '7 objects'")
    #expect(try browser.evaluate("document.querySelector('.badge').hidden") == .bool(true))
    try expectClean(browser)
  }

  @Test("A Realm file: read-only, with conditions; nothing stays behind", arguments: [false, true])
  func realm(isEncrypted: Bool) throws {
    let key = (0..<64).map { UInt8($0 + 1) }
    let plain = FixtureFiles.all(count: 12).file
    let bytes = isEncrypted ? EncryptedCopy(key: key).bytes(of: plain) : plain
    try Data(bytes).write(to: run.folder.appendingPathComponent("default.realm"))
    try Data(key).write(to: run.folder.appendingPathComponent("realm.key"))
    let temporary = run.folder.appendingPathComponent("tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let (command, address) = try serve(
      "default.realm", more: isEncrypted ? ["--key-file", "realm.key"] : [],
      environment: ["TMPDIR": temporary.path])
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelector('.bar .soft').textContent === '12 objects'")
    #expect(try text(browser, ".note").contains("A Realm file"))
    #expect(try text(browser, ".badge") == "read-only")
    #expect(try browser.evaluate("document.querySelector('.filter').hidden") == .bool(false))
    let copies = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
    let database = try #require(copies.first { $0.hasSuffix(".db") })
    let start = try Data(contentsOf: temporary.appendingPathComponent(database)).prefix(15)
    #expect((start == Data("SQLite format 3".utf8)) != isEncrypted)
    try expectClean(browser)
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test("A Core Data store and other databases: their tables, read-only")
  func tables() throws {
    #expect(
      try run.shell(
        """
        sqlite3 other.db "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT); \
        INSERT INTO note VALUES (1, '<b>bold</b>'), (2, NULL)"
        """
      ).status == 0)
    let before = try run.contents()
    let (command, address) = try serve("other.db")
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length === 2")
    #expect(try text(browser, ".tr").contains("<b>bold</b>"))
    #expect(try text(browser, ".note").contains("Strata did not write this database"))
    try expectClean(browser)
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
    #expect(try run.contents() == before)
  }

  @Test("What another process writes shows by itself")
  func live() throws {
    #expect(try run.people("create", "p.db", "--version", "5", "--sample", "3").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelector('.bar .soft').textContent === '3 objects'")
    try #"{"$model":"Person","fullName":"New one","age":1}"#
      .write(toFile: run.path("new.jsonl"), atomically: true, encoding: .utf8)
    #expect(try run.people("import", "p.db", "new.jsonl").status == 0)
    try browser.wait(until: "document.querySelector('.bar .soft').textContent === '4 objects'")
  }

  @Test("A million objects: there with the page, scrolled to the end, sorted, in bounded memory")
  func million() throws {
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    let filled = try run.shell(
      """
      sqlite3 p.db "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 1000000) \
      INSERT INTO Person (_row, age, email, fullName) SELECT x, x % 97, '', 'Person ' || x FROM n"
      """)
    #expect(filled.status == 0, "\(filled.errors)")
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    // The first rows need no further question.
    try browser.wait(until: "performance.getEntriesByName('rows').length === 1")
    #expect(
      try browser.evaluate(
        """
        document.querySelectorAll('.tr').length > 5 && performance.getEntriesByType('resource')
          .filter(e => e.name.endsWith('/api'))
          .every(e => e.startTime > performance.getEntriesByName('rows')[0].startTime)
        """) == .bool(true))
    try browser.evaluate(
      "{ const g = document.querySelector('.grid'); g.scrollTop = g.scrollHeight }")
    let last = "[...document.querySelectorAll('.tr')].at(-1).textContent"
    try browser.wait(until: "\(last).startsWith('1000000Person 1000000')")
    // Downwards by age: the last is the last of age 0.
    try browser.evaluate(
      "[...document.querySelectorAll('.th button')].find(b => b.textContent.startsWith('age')).click()"
    )
    try browser.wait(
      until:
        "document.querySelector('[aria-sort=ascending]') && document.querySelector('.tr').textContent.includes('Person 97')"
    )
    try browser.evaluate("document.querySelector('[aria-sort=ascending] button').click()")
    try browser.wait(
      until:
        "document.querySelector('[aria-sort=descending]') && document.querySelector('.tr').textContent.includes('Person 96')"
    )
    try browser.evaluate(
      "{ const g = document.querySelector('.grid'); g.scrollTop = g.scrollHeight }")
    try browser.wait(until: "\(last).startsWith('999973Person 999973')")
    #expect(try browser.evaluate("document.querySelectorAll('.tr').length < 100") == .bool(true))
    #if os(Linux)
      let status = try String(contentsOfFile: "/proc/\(command.identifier)/status", encoding: .utf8)
      let peak = status.firstMatch(of: #/VmHWM:\s+([0-9]+) kB/#).flatMap { Int($0.1) }
      #expect(try #require(peak) < 256_000, "\(peak ?? 0) KB")
    #endif
    try expectClean(browser)
  }

  @Test("Nothing of the data runs")
  func hostile() throws {
    let evil = "<script>window.owned=1</script><img src=x onerror=window.owned=2>"
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    let line = JSON.object([
      "$model": "Person", "fullName": .string(evil), "nickname": .string("</script>" + evil),
      "age": .int(3), "dogs": .array([.object(["$id": .int(9)])]),
    ]).canonicalText
    let pet = JSON.object([
      "$model": "Pet", "$id": .int(9), "name": .string("مرحبا " + evil), "age": .int(1),
    ]).canonicalText
    try (line + "\n" + pet + "\n").write(
      toFile: run.path("new.jsonl"), atomically: true, encoding: .utf8)
    #expect(try run.people("import", "p.db", "new.jsonl").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length === 1")
    try browser.evaluate("document.querySelector('.tr').click()")
    try browser.wait(until: "document.querySelector('aside .field')")
    try browser.wait(until: "document.querySelector('aside').textContent.includes('مرحبا')")
    #expect(try browser.evaluate("typeof window.owned") == "undefined")
    #expect(try browser.evaluate("document.querySelectorAll('img').length") == .int(0))
    try expectClean(browser)
  }

  @Test("A file of an earlier version: read-only, its plan, and the upgraded content beside it")
  func upgrade() throws {
    #expect(try run.people("create", "old.db", "--version", "4", "--sample", "5").status == 0)
    let before = try run.contents()
    let (command, address) = try serve("old.db")
    defer { command.send(SIGTERM) }
    let browser = try Chromium()
    try browser.open(address)
    try browser.wait(
      until: "document.querySelector('.note').textContent.includes('Version 4 of 5')")
    let buttons = "[...document.querySelectorAll('.note button')]"
    try browser.evaluate("\(buttons)[0].click()")
    try browser.wait(
      until: "document.querySelector('dialog pre')?.textContent.includes('version 4 → 5')")
    try browser.evaluate("document.querySelector('dialog button').click()")
    try browser.evaluate("\(buttons)[1].click()")
    try browser.wait(
      until:
        "document.querySelectorAll('.pane').length === 2 && document.querySelectorAll('.pane')[1].querySelectorAll('.tr').length === 5"
    )
    #expect(try text(browser, ".pane:last-child .head").contains("nickname"))
    try expectClean(browser)
    #expect(try run.contents()["old.db"] == before["old.db"])
  }

  @Test("A narrow window, the keyboard alone")
  func narrow() throws {
    #expect(try run.people("create", "p.db", "--version", "5", "--sample", "200").status == 0)
    let (command, address) = try serve("p.db", "--read-only")
    defer { command.send(SIGTERM) }
    let browser = try Chromium(width: 360, height: 700, isDark: true)
    try browser.open(address)
    try browser.wait(until: "document.querySelectorAll('.tr').length > 5")
    #expect(
      try browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
    try browser.evaluate("document.querySelector('.grid').focus()")
    try browser.press("PageDown")
    try browser.press("ArrowRight")
    try browser.press("Enter", text: "\r")
    try browser.wait(until: "document.querySelector('aside h2')")
    try expectClean(browser)
    try browser.press("Escape")
    try browser.wait(
      until:
        "document.querySelector('aside').hidden && document.activeElement.classList.contains('grid')"
    )
    #expect(try text(browser, ".badge") == "read-only")
  }

  @Test("Another address, another site and another port are refused")
  func refusals() throws {
    #expect(try run.people("create", "p.db", "--version", "5").status == 0)
    let (command, address) = try serve("p.db")
    defer { command.send(SIGTERM) }
    let url = try #require(URL(string: address))
    let port = try #require(url.port)
    func status(_ request: String, _ headers: String...) throws -> String {
      let lines = [request] + headers + ["Connection: close", "", ""]
      let text = lines.joined(separator: "\\r\\n")
      return try run.shell(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"\(text)\" >&3; head -1 <&3'"
      ).output.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }
    let host = "Host: 127.0.0.1:\(port)"
    let path = url.path.hasSuffix("/") ? url.path : url.path + "/"
    #expect(try status("GET \(path) HTTP/1.1", host) == "200")
    #expect(try status("GET / HTTP/1.1", host) == "403")
    #expect(try status("GET \(path) HTTP/1.1", "Host: evil.example") == "403")
    #expect(try status("GET \(path) HTTP/1.1", host, "Origin: http://evil.example") == "403")
    #expect(
      try status(
        "POST \(path)api HTTP/1.1", host, "Content-Type: application/json", "Content-Length: 0")
        == "403")
    #expect(try status("NONSENSE", host) == "400")
  }
}
