import Foundation
import StrataSchema
import Testing

/// The report in a browser, opened from `file://`.
@Suite(
  "The report, in Chromium", .enabled(if: Chromium.path != nil, Chromium.absence), .serialized)
struct ReportPageTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func page(_ name: String) -> String {
    run.folder.appendingPathComponent("report/\(name)").absoluteString
  }

  /// The report on the People example.
  private func writePeople() throws {
    let root = CommandRunner.root.path
    let result = try run.strata(
      "docs", "--output", "report", "--schemas", "\(root)/schemas", "--migrations",
      "\(root)/migrations")
    #expect(result.status == 0, "\(result.errors)")
  }

  private func expectClean(
    _ browser: Chromium, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(browser.problems.isEmpty, sourceLocation: location)
    #expect(try browser.namelessElements() == [], sourceLocation: location)
    #expect(try browser.axeFindings() ?? [] == [], sourceLocation: location)
  }

  @Test("Each version has its page, and they lead to one another", arguments: [false, true])
  func people(isDark: Bool) throws {
    try writePeople()
    let browser = try Chromium(isDark: isDark)
    try browser.open(page("index.html"))
    #expect(try browser.evaluate("document.title") == "People")
    #expect(
      try browser.evaluate(
        "[...document.querySelectorAll('.model .name')].map(e => e.textContent).slice(0, 3)")
        == .array(["Person", "Pet", "Place"]))
    try expectClean(browser)
    try browser.evaluate("document.querySelector('.timeline a').click()")
    // The title comes before the page.
    try browser.wait(
      until: "document.title === 'People, version 5' && document.readyState === 'complete'")
    #expect(
      try browser.evaluate("document.querySelector('.row.added text').textContent") == "nickname")
    try expectClean(browser)
    // The version before, by the keyboard.
    try browser.press("[", text: "[")
    try browser.wait(until: "document.title === 'People, version 4'")
  }

  @Test("Zoom, search and the way to a model's table")
  func diagram() throws {
    try writePeople()
    let browser = try Chromium()
    try browser.open(page("index.html"))
    let width = "document.querySelector('svg.diagram').viewBox.baseVal.width"
    let before = try browser.evaluate(width)
    try browser.evaluate("document.getElementById('canvas').focus()")
    try browser.press("+", text: "+")
    #expect(try browser.evaluate("\(width) < \(before.canonicalText)") == .bool(true))
    try browser.press("/", text: "/")
    #expect(try browser.evaluate("document.activeElement.id") == "search")
    try browser.evaluate(
      "const s = document.getElementById('search'); s.value = 'stateAbb'; s.dispatchEvent(new Event('input'))"
    )
    #expect(
      try browser.evaluate(
        "[...document.querySelectorAll('.model.hit .name')].map(e => e.textContent)")
        == .array(["Place"]))
    #expect(
      try browser.evaluate("document.getElementById('said').textContent.startsWith('1 model ')")
        == .bool(true))
    try browser.press("Escape")
    try browser.evaluate("document.querySelector('[data-model=Pet] a').focus()")
    try browser.press("Enter", text: "\r")
    try browser.wait(until: "document.getElementById('model-Pet').open")
  }

  @Test("A narrow window scrolls down, not to the side")
  func narrow() throws {
    try writePeople()
    let browser = try Chromium(width: 360, height: 700)
    for name in ["index.html", "versions/1.html"] {
      try browser.open(page(name))
      #expect(
        try browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true))
      try expectClean(browser)
    }
  }

  @Test("Nothing of a hostile schema runs")
  func hostile() throws {
    let folder = run.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let evil =
      #""</script></svg><script>window.owned=1</script><img src=x onerror='window.owned=2'>""#
    try """
    schema: Hostile
    version: 0
    models:
      constructor:
        doc: \(evil)
        properties:
          __proto__: { type: "[قائمة]", doc: \(evil) }
          toString: { type: string, default: \(evil) }
      قائمة:
        doc: "نص من اليمين إلى اليسار"
        properties: { mood: Mood }
    enums:
      Mood: { type: string, doc: \(evil), cases: { bad: \(evil) } }
    """.write(to: folder.appendingPathComponent("a.yaml"), atomically: true, encoding: .utf8)
    let result = try run.strata("docs", "--output", "report")
    #expect(result.status == 0, "\(result.errors)")
    let browser = try Chromium()
    for name in ["index.html", "versions/0.html"] {
      try browser.open(page(name))
      try browser.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
      #expect(try browser.evaluate("typeof window.owned") == "undefined")
      #expect(try browser.evaluate("document.querySelectorAll('img').length") == .int(0))
      try expectClean(browser)
    }
  }

  @Test("Wide names stay in their boxes")
  func wideNames() throws {
    let folder = run.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let browser = try Chromium()
    for name in [
      String(repeating: "Ж", count: 31), String(repeating: "щ", count: 20),
      String(repeating: "A", count: 63), String(repeating: "W", count: 20), "לקוחות",
      "HTTPMESSAGEMAXIMUMQUEUEWINDOW", "МеждународныйЗаказПокупателя", "顧客注文明細情報管理台帳",
    ] {
      try "schema: Wide\nversion: 0\nmodels: { \(name): { properties: { \(name): \(name)? } } }\n"
        .write(to: folder.appendingPathComponent("a.yaml"), atomically: true, encoding: .utf8)
      let result = try run.strata("docs", "--output", "report")
      #expect(result.status == 0, "\(result.errors)")
      try browser.open(page("index.html"))
      let wide = try browser.evaluate(
        """
        (() => {
          const model = document.querySelector('.model[data-model]');
          const width = model.querySelector('.card').width.baseVal.value;
          const long = texts => texts.reduce((sum, text) => sum + text.getComputedTextLength(), 0);
          return [[model.querySelector('.name')], [...model.querySelectorAll('.row text')]].map(long).filter(length => length > width - 24);
        })()
        """)
      #expect(wide == .array([]), "\(name)")
    }
    try expectClean(browser)
  }

  @Test("A hundred models can be read from afar, and each has a place of its own")
  func manyModels() throws {
    let folder = run.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var yaml = "schema: Many\nversion: 0\nmodels:\n"
    for model in 0..<100 {
      yaml += "  Model\(model):\n    properties:\n"
      for property in 0..<(model % 17 + 1) { yaml += "      value\(property): string\n" }
      if model > 0, model % 3 != 0 { yaml += "      parent: Model\(model / 2)?\n" }
    }
    try yaml.write(to: folder.appendingPathComponent("a.yaml"), atomically: true, encoding: .utf8)
    #expect(try run.strata("docs", "--output", "report").status == 0)
    let browser = try Chromium()
    try browser.open(page("index.html"))
    #expect(
      try browser.evaluate("document.querySelectorAll('.model[data-model]').length") == .int(100))
    #expect(
      try browser.evaluate("document.querySelector('svg.diagram').classList.contains('far')")
        == .bool(true))
    let overlaps = try browser.evaluate(
      """
      (() => {
        const boxes = [...document.querySelectorAll('.model .card')].map(e => e.getBoundingClientRect());
        let count = 0;
        boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) count += 1;
        }));
        return count;
      })()
      """)
    #expect(overlaps == .int(0))
    try expectClean(browser)
  }
}
