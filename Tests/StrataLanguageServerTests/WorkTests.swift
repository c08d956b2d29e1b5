import Foundation
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataLanguageServer
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// What a keystroke and an answer cost, counted and not timed: `docs/performance.md` has the times.
@Suite struct WorkTests {
  private static func model(_ number: Int, link: Int) -> String {
    """
      Model\(number):
        primaryKey: id
        properties:
          id: uuid
          mood: { type: Mood, default: calm }
          next: Model\(link)?

    """
  }

  /// A project of `count` files with ten models each.
  private static func files(_ count: Int) -> ProjectFiles {
    var files = ProjectFiles()
    for file in 0..<count {
      var text =
        file == 0
        ? "schema: Many\nversion: 3\nenums:\n  Mood: { type: string, cases: [calm, angry] }\n" : ""
      text += "models:\n"
      for number in file * 10..<file * 10 + 10 {
        text += model(number, link: (number + 17) % (count * 10))
      }
      files.schemas.append(SourceFile(path: "schemas/\(file).yaml", text: text))
    }
    files.versions = (1...2).map { version in
      SourceFile(
        path: "schemas/versions/\(version).yaml",
        text: "schema: Many\nversion: \(version)\nenums:\n"
          + "  Mood: { type: string, cases: [calm, angry] }\nmodels:\n"
          + (0..<count * 10).map { model($0, link: ($0 + 17) % (count * 10)) }.joined())
    }
    files.lock = SourceFile(path: "schemas/schema.lock", text: files.impliedLock.text)
    return files
  }

  private static func replace(_ old: String, _ new: String, in number: Int, _ files: ProjectFiles)
    -> ProjectFiles
  {
    var files = files
    let file = files.schemas[number]
    let text = file.text(in: 0..<file.bytes.count).replacingOccurrences(of: old, with: new)
    files.schemas[number] = SourceFile(path: file.path, text: text)
    return files
  }

  @Test(arguments: [3, 30])
  func aKeystrokeReadsOneFileJudgesItsModelsAndComparesOnce(count: Int) {
    let files = Self.files(count)
    let cache = ProjectCache()
    #expect(ProjectCheck.run(files, cache: cache).sorted == [])
    #expect(cache.judgedModelCount == count * 10)
    let read = cache.readFileCount
    let compared = cache.comparedPairCount
    let changed = Self.replace(
      "      id: uuid\n      mood", "      id: uuid\n      more: string?\n      mood", in: 2, files)
    let found = ProjectCheck.run(changed, cache: cache).sorted
    #expect(cache.readFileCount == read + 1)
    #expect(cache.judgedModelCount == 10)
    #expect(cache.comparedPairCount == compared + 1)
    #expect(found == ProjectCheck.run(changed).sorted)
  }

  /// An editor's text is broken and whole in turn: what was known before it broke is known after.
  @Test func aTextThatIsWholeAgainIsJudgedAsBefore() {
    let files = Self.files(5)
    let cache = ProjectCache()
    _ = ProjectCheck.run(files, cache: cache)
    let broken = Self.replace("properties:", "properties: {", in: 3, files)
    #expect(!ProjectCheck.run(broken, cache: cache).sorted.isEmpty)
    #expect(ProjectCheck.run(files, cache: cache).sorted == [])
    #expect(cache.judgedModelCount == 10)
  }

  /// What a model sees of others is others' to change: then it is judged again.
  @Test(arguments: [
    ("Model20:", "Model20x:"), ("  Model20:", "  Model20:\n    embedded: true"),
    ("  Model20:", "  Model20:\n    abstract: true"), ("calm, angry", "quiet, angry"),
    ("schema: Many", "schema: Model1"), ("type: string, cases", "type: int, cases"),
    ("  Model25:", "  Model0:"), ("models:", "models: {"), ("calm, angry", "calm, calm"),
  ])
  func aChangeThatOthersSeeIsSeenByThem(change: (old: String, new: String)) {
    var files = Self.files(4)
    // The owners of what changes are in the first and the third file, those who see it are everywhere.
    let cache = ProjectCache()
    #expect(ProjectCheck.run(files, cache: cache).sorted == [])
    let before = files
    for number in [0, 2] { files = Self.replace(change.old, change.new, in: number, files) }
    let found = ProjectCheck.run(files, cache: cache).sorted
    #expect(found == ProjectCheck.run(files).sorted)
    #expect(ProjectCheck.run(before, cache: cache).sorted == [])
  }

  /// Several changes after one another, made and taken back in any order: findings and the schema are those without a cache.
  @Test(arguments: [UInt64(1), 2, 3])
  func whatIsKeptChangesNothing(seed: UInt64) {
    let changes: [(file: Int, old: String, new: String)] = [
      (0, "calm, angry", "calm, angry, sad"), (0, "calm, angry", "angry"),
      (1, "  Model12:", "  Model12:\n    extends: Model20"), (1, "Model12:", "Model12b:"),
      (2, "  Model20:", "  Model20:\n    abstract: true"),
      (2, "  Model21:", "  Model21:\n    embedded: true"),
      (2, "primaryKey: id", "primaryKey: ids"), (2, "Model3?", "Model3"),
      (0, "      id: uuid", "      id: uuid\n      from: { linkingObjects: Model27.next }"),
      (2, "next:", "nexts:"), (1, "default: calm", "default: clam"),
      (1, "  Model15:", "  Model15:\n    indexes: [[id, mood], [id]]"),
      (0, "version: 3", "version: two"), (0, "version: 3", "version: 2"),
      (1, "properties:", "properties: ["),
      (2, "  Model22:", "  Model23:"), (0, "Model4:", "model5:"),
      (1, "  Model18:", "  Model18:\n    rules: { some: { that: 'mood == calm' } }"),
    ]
    let files = Self.files(3)
    let cache = ProjectCache()
    var state = seed
    var isMade = [Bool](repeating: false, count: changes.count)
    for step in 0..<60 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      isMade[Int((state >> 33) % UInt64(changes.count))].toggle()
      var now = files
      for (change, isMade) in zip(changes, isMade) where isMade {
        now = Self.replace(change.old, change.new, in: change.file, now)
      }
      let found = ProjectCheck.run(now, cache: cache).sorted
      let fresh = ProjectCache()
      #expect(found == ProjectCheck.run(now, cache: fresh).sorted, "seed \(seed), step \(step)")
      #expect(
        cache.working?.schema == fresh.working?.schema, "seed \(seed), step \(step)")
      #expect(cache.working?.schema.shape == fresh.working?.schema.shape)
    }
  }

  /// The outline is written as text: the bytes are those that its values would have.
  @Test func theOutlineIsTheTextOfItsValues() throws {
    let editor = try TestEditor(TestProject.files())
    for path in ["schemas/People.yaml", "schemas/Places.yaml", "schemas/versions/1.yaml"] {
      let uri = JSON.string(editor.uri(path))
      editor.server.handle(
        .message([
          "jsonrpc": "2.0", "id": "a\"b", "method": "textDocument/documentSymbol",
          "params": ["textDocument": ["uri": uri]],
        ]))
      let message = try #require(editor.server.takeOutput().last)
      guard case .written(let bytes) = message else {
        Issue.record("the outline of \(path) was made of values")
        continue
      }
      let value = try JSON.parse(bytes)
      #expect(value.canonicalText == String(decoding: bytes, as: UTF8.self))
      #expect(value["id"] == "a\"b")
      #expect(value["result"]?.array?.isEmpty == false)
    }
  }

  /// Lines are counted in what is new only, with the same result as when all are counted: also where a change makes CR and LF one
  /// line break, or takes them apart.
  @Test(arguments: [UInt64(1), 2, 3])
  func linesAfterChangesAreThoseOfTheWholeText(seed: UInt64) {
    let pieces = ["", "a", "\n", "\r", "\r\n", "\n\r", "é😀", "\r\n\r\n", "models:\n  x"].map {
      Array($0.utf8)
    }
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var lines = TextLines([])
    for step in 0..<300 {
      let start = random(lines.bytes.count + 1)
      let end = min(lines.bytes.count, start + random(4))
      var whole = lines.bytes
      let piece = pieces[random(pieces.count)]
      whole.replaceSubrange(start..<end, with: piece)
      lines.replace(start..<end, with: piece)
      #expect(lines.bytes == whole)
      let fresh = TextLines(whole)
      for offset in 0...whole.count where lines.position(of: offset) != fresh.position(of: offset) {
        Issue.record("seed \(seed), step \(step), byte \(offset)")
        return
      }
    }
  }

  /// A long line is counted by blocks of bytes, with the same result as from its start, also after changes to it.
  @Test func aPlaceInALongLineIsNotCountedFromItsStart() {
    let text = "# é😀\n" + String(repeating: "aé€😀", count: 3_000) + "\n# 😀\n"
    var lines = TextLines([])
    lines.replace(0..<0, with: Array(text.utf8))
    let fresh = TextLines(Array(text.utf8))
    var (counted, positions) = (0, 0)
    for offset in stride(from: 0, through: text.utf8.count, by: 7) {
      let position = fresh.position(of: offset, counting: &counted)
      #expect(position == lines.position(of: offset))
      positions += 1
    }
    #expect(counted < positions * 2_048, "\(counted) bytes for \(positions) positions")
  }

  /// A message with many ranges, as editors send one for many cursors: each counts in the text that the one before it has made.
  @Test func theChangesOfOneMessageFollowEachOther() throws {
    let editor = try TestEditor(["schemas/A.yaml": "schema: A\r\nversion: 0\r\n# x\r\n"])
    try editor.openDocument("schemas/A.yaml")
    func change(_ line: Int64, _ from: Int64, _ to: Int64, _ text: String) -> JSON {
      [
        "range": [
          "start": ["line": .int(line), "character": .int(from)],
          "end": ["line": .int(line), "character": .int(to)],
        ], "text": .string(text),
      ]
    }
    editor.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(editor.uri("schemas/A.yaml")), "version": 2],
        "contentChanges": [
          change(0, 0, 0, "# first\r\n"), change(3, 0, 3, "models:\n  P: { properties: {} }\n  Q:"),
          change(5, 4, 4, " { properties: { x: strnig } }"),
        ],
      ])
    #expect(editor.findings.contains("schemas/A.yaml:6:25 STR2302"))
  }
}
