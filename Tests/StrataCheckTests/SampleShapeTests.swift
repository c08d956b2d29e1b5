import Foundation
import Strata
import StrataExpression
import StrataFiles
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import StrataTesting
import Testing

@Suite("Sample data of every shape")
struct SampleShapeTests {
  /// Declarations, and how many objects there are where 300 are asked for.
  struct Shape: CustomTestStringConvertible {
    let name: String
    let counts: [String: Int]
    let models: String
    var testDescription: String { name }

    init(_ name: String, _ counts: [String: Int], _ models: String) {
      self.name = name
      self.counts = counts
      self.models = models
    }
  }

  static let shapes: [Shape] = [
    Shape(
      "A unique link", ["Person": 300, "Passport": 300],
      """
        Person: { properties: { name: string } }
        Passport: { properties: { holder: { type: Person, unique: true, deleteRule: cascade } } }
      """),
    Shape(
      "A unique link to the same model", ["Page": 300],
      "  Page: { properties: { next: { type: Page?, unique: true } } }"),
    Shape(
      "A join table", ["Post": 300, "Tag": 300, "PostTag": 300],
      """
        Post: { properties: { title: string } }
        Tag: { properties: { name: string } }
        PostTag:
          unique: [[post, tag]]
          properties: { post: { type: Post, deleteRule: cascade }, tag: { type: Tag, deleteRule: cascade } }
      """),
    Shape(
      "A join of what there are few of", ["Flag": 2, "Small": 4, "Join": 8],
      """
        Flag: { properties: { on: { type: bool, unique: true } } }
        Small: { unique: [[a, b]], properties: { a: bool, b: bool } }
        Join:
          unique: [[flag, small]]
          properties: { flag: { type: Flag, deleteRule: deny }, small: { type: Small, deleteRule: deny } }
      """),
    Shape(
      "Nulls differ from each other", ["Flag": 300],
      "  Flag: { properties: { on: { type: bool?, unique: true } } }"),
    Shape(
      "Small integers and enums", ["Byte": 256, "Level": 3, "Cell": 300, "Grid": 3],
      """
        Byte: { properties: { value: { type: int8, unique: true } } }
        Level: { properties: { kind: { type: Kind, unique: true } } }
        Cell: { unique: [[x, y]], properties: { x: int8, y: Kind } }
        Grid: { unique: [[x, y], [y, z], [x, z]], properties: { x: Kind, y: Kind, z: Kind } }
      """),
    Shape(
      "Keys that share properties", ["Seat": 300],
      """
        Seat:
          primaryKey: [row, number]
          unique: [[row, side], [hall, row]]
          properties: { row: int16, number: int8, side: bool, hall: Kind }
      """),
    Shape(
      "Dates, texts and identities", ["Entry": 300],
      """
        Entry:
          primaryKey: [id, code]
          unique: [[at, text]]
          properties:
            id: uuid
            code: objectId
            at: { type: date, unique: true }
            text: { type: string, unique: true }
            email: { type: string?, unique: true }
            small: { type: int32, unique: true }
      """),
    Shape(
      "Collections of everything", ["All": 300],
      """
        All:
          properties:
            any: set<any>
            maybe: "set<any?>"
            strings: "set<string?>"
            switches: set<bool>
            numbers: set<float>
            kinds: set<Kind>
            others: set<All>
            pairs: map<any>
            list: "[any?]"
            parts: [Part]
        Part: { embedded: true, properties: { name: { type: string, unique: true }, owner: All? } }
      """),
    Shape(
      "Embedded objects that there are few of", ["House": 300],
      """
        House: { properties: { door: Door?, doors: [Door] } }
        Door: { embedded: true, properties: { open: { type: bool, unique: true } } }
      """),
    Shape(
      "Links to what a rule takes out", ["Cat": 200, "Home": 300, "Chip": 200, "Owner": 300],
      """
        Cat: { rules: { late: n >= 100 }, properties: { n: { type: int, unique: true } } }
        Home:
          properties:
            set: { type: set<Cat>, deleteRule: deny }
            list: { type: "[Cat]", deleteRule: deny }
            map: { type: map<Cat>, deleteRule: deny }
            one: { type: Cat?, deleteRule: deny }
            others: [Cat]
            other: Cat?
            bed: Bed?
            beds: [Bed]
        Bed: { embedded: true, properties: { cat: { type: Cat, deleteRule: deny } } }
        Chip: { properties: { cat: { type: Cat, unique: true, deleteRule: deny } } }
        Owner: { properties: { chip: { type: Chip?, deleteRule: deny } } }
      """),
    Shape(
      "Embedded objects that a rule takes from their owners", ["Shelf": 300, "Box": 300],
      """
        Shelf: { rules: { empty: books.@count == 0 }, properties: { books: [Book] } }
        Box: { rules: { empty: book == nil }, properties: { book: Book? } }
        Book: { embedded: true, properties: { title: string, page: Page? } }
        Page: { embedded: true, properties: { number: int } }
      """),
  ]

  static func history(_ models: String) throws -> History {
    let text = """
      schema: Shapes
      version: 0
      models:
      \(models)
      enums:
        Kind: { type: string, cases: [one, two, three] }
      """
    var diagnostics = Diagnostics()
    let compiled = SchemaCompiler.compile(
      [SourceFile(path: "shapes.yaml", text: text)], reporting: &diagnostics)
    #expect(diagnostics.lines == "")
    let schema = try #require(compiled).schema
    return History(
      name: "Shapes",
      versions: [
        FrozenVersion(
          schema: schema, step: nil, date: "2026-11-22", stepDigest: nil, chain: Digest(of: "0"))
      ])
  }

  @Test("A file is made, with as many objects as its unique keys allow", arguments: shapes)
  func shape(_ shape: Shape) throws {
    let history = try Self.history(shape.models)
    let version = try #require(history.newest)
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let counts = try SampleDatabase(version: version, of: history).create(
      at: folder + "/a.db", objects: 300, seed: 3)

    #expect(counts == shape.counts)
    let found = try FileInspector().inspect(
      folder + "/a.db", target: UpgradeTarget(history: history), checksAll: true)
    #expect(found.status == .current)
    #expect(found.contentProblems == [])
    for (model, count) in shape.counts { #expect(found.counts[model] == count) }
  }

  @Test(
    "Fewer objects have a reason",
    arguments: [
      (
        "  Flag: { properties: { on: { type: bool, unique: true } } }",
        ["Flag: its unique keys allow no more"]
      ),
      (
        """
          I: { rules: { never: n > 5 AND n < 5 }, properties: { n: int } }
          LI: { properties: { i: { type: I, deleteRule: deny } } }
          LL: { properties: { l: { type: LI, deleteRule: cascade } } }
          Free: { properties: { i: I? } }
        """,
        [
          "I: its rules allow no more", "LI: each needs an object of I, of which there are 0",
          "LL: each needs an object of LI, of which there are 0",
        ]
      ),
      (
        """
          Box: { properties: { e: E } }
          E: { embedded: true, rules: { never: n > 5 AND n < 5 }, properties: { n: int } }
        """, ["Box: the rules of E in it allow no more"]
      ),
      (
        "  Person: { rules: { few: Person.@count <= 2 }, properties: { n: int } }",
        ["Person: its rules allow no more"]
      ),
    ])
  func shortages(models: String, expected: [String]) throws {
    let history = try Self.history(models)
    let database = SampleDatabase(version: try #require(history.newest), of: history)
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).db"
    defer { try? FileManager.default.removeItem(atPath: path) }

    let counts = try database.create(at: path, objects: 5, seed: 3)

    #expect(
      database.shortages(counts, objects: 5).map { "\($0.model): \($0.reason)" } == expected)
  }

  /// All of too many break it, and the first ones keep it when the others are gone.
  @Test(
    "A rule that counts its model leaves objects of it",
    arguments: [
      ("  Person: { rules: { few: Person.@count <= 10 }, properties: { n: int } }", ["Person": 10]),
      ("  Person: { rules: { few: count(Person) < 16 }, properties: { n: int } }", ["Person": 10]),
      (
        """
          Box: { properties: { e: E } }
          E: { embedded: true, rules: { few: E.@count <= 10 }, properties: { n: int } }
        """, ["Box": 10]
      ),
      ("  Person: { rules: { none: Person.@count == 0 }, properties: { n: int } }", ["Person": 0]),
    ])
  func countingRules(models: String, expected: [String: Int]) throws {
    let history = try Self.history(models)
    let database = SampleDatabase(version: try #require(history.newest), of: history)
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).db"
    defer { try? FileManager.default.removeItem(atPath: path) }

    #expect(try database.create(at: path, objects: 20, seed: 3) == expected)
  }

  @Test("What cannot be has a sentence")
  func refusal() throws {
    let history = try Self.history(
      """
        House: { properties: { door: Door } }
        Door: { embedded: true, properties: { open: { type: bool, unique: true } } }
      """)
    let version = try #require(history.newest)
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).db"

    let error = #expect(throws: MigrationError.self) {
      try SampleDatabase(version: version, of: history).create(at: path, objects: 3, seed: 3)
    }

    #expect(
      error?.description
        == "There is no sample data of so many objects: each House needs Door objects of its own in 'door', "
        + "and the unique keys of Door allow no more than 2. Make fewer objects.")
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
