import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a version's objects have is what the steps make of them one by one, whatever later versions look like.
@Suite struct LineageTests {
  private static func person(_ properties: Property...) -> Model {
    Model(name: "Person", properties: properties)
  }

  private static let n = Property.required("n", .int, default: .int(9))
  private static let code = Property.optional("code", .string)

  // MARK: - Properties

  @Test(arguments: [
    Property.optional("code", .string), .optional("code", .int),
    .required("code", .string, default: .string("new")),
    Property(name: "code", type: .list(ValueType(.scalar(.string)))),
  ])
  func aNameThatReturnsIsANewProperty(_ returned: Property) throws {
    let paths = try EveryPath(
      [[Self.person(Self.code, Self.n)], [Self.person(Self.n)], [Self.person(returned, Self.n)]],
      steps: [1: { $0.drop = [SchemaPath("Person", "code")] }])

    let query =
      returned.type.isCollection
      ? "SELECT count(*) FROM \"Person.code\"" : "SELECT code FROM Person"
    let rows = try paths.rows(query, after: "INSERT INTO Person(_row, code, n) VALUES (1, 'x', 5)")

    let empty: SQLiteValue =
      returned.type.isCollection ? .integer(0) : returned.defaultValue == nil ? .null : .text("new")
    #expect(rows == [[empty]])
  }

  @Test func aNameThatAnotherPropertyTakesKeepsThatOnesValues() throws {
    let nick = Property.optional("nick", .string)
    let paths = try EveryPath(
      [
        [Self.person(Self.code, nick)], [Self.person(Self.code)], [Self.person(nick)],
        [Self.person(Self.code, nick)],
      ],
      steps: [
        1: {
          $0.drop = [SchemaPath("Person", "code")]
          $0.renames.properties = [SchemaPath("Person", "nick"): "code"]
        },
        2: { $0.renames.properties = [SchemaPath("Person", "code"): "nick"] },
      ])

    let rows = try paths.rows(
      "SELECT code, nick FROM Person",
      after: "INSERT INTO Person(_row, code, nick) VALUES (1, 'code', 'nick')")

    #expect(rows == [[.null, .text("nick")]])
  }

  @Test func namesAreExchangedAndHandedOn() throws {
    func three(_ a: String, _ b: String, _ c: String) -> [Model] {
      var indexed = Property.required(a, .string)
      indexed.index = .ordinary
      return [Self.person(indexed, .required(b, .string), .required(c, .string))]
    }
    let paths = try EveryPath(
      [three("a", "b", "c"), three("b", "a", "c"), three("b", "c", "d")],
      steps: [
        1: {
          $0.renames.properties = [SchemaPath("Person", "a"): "b", SchemaPath("Person", "b"): "a"]
        },
        // Each takes the name that the one before it leaves.
        2: {
          $0.renames.properties = [SchemaPath("Person", "a"): "c", SchemaPath("Person", "c"): "d"]
        },
      ])

    let rows = try paths.rows(
      "SELECT b, c, d FROM Person",
      after: "INSERT INTO Person(_row, a, b, c) VALUES (1, 'a', 'b', 'c')")

    #expect(rows == [[.text("a"), .text("b"), .text("c")]])
  }

  @Test func aPropertyThatIsRenamedWithItsModelIsSet() throws {
    let human = Model(
      name: "Human", properties: [.required("label", .string), .required("nick", .string)])
    let paths = try EveryPath(
      [[Self.person(.required("name", .string), .required("nick", .string))], [human], [human]],
      steps: [
        1: {
          $0.renames = Renames(
            models: ["Person": "Human"], properties: [SchemaPath("Person", "name"): "label"])
          $0.set = ["Human": ["nick": expression("old.name + '/' + old.nick")]]
        },
        2: { $0.set = ["Human": ["label": expression("old.nick + '!'")]] },
      ])

    let rows = try paths.rows(
      "SELECT label, nick FROM Human",
      after: "INSERT INTO Person(_row, name, nick) VALUES (1, 'Ada', 'a')")

    #expect(rows == [[.text("Ada/a!"), .text("Ada/a")]])
  }

  @Test func existingObjectsKeepTheDefaultTheyHave() throws {
    func added(_ value: Int64) -> Model {
      Self.person(Self.code, .required("n", .int, default: .int(value)))
    }
    let paths = try EveryPath([[Self.person(Self.code)], [added(1)], [added(2)], [added(3)]])

    let rows = try paths.rows(
      "SELECT n FROM Person", after: "INSERT INTO Person(_row, code) VALUES (1, NULL)")

    #expect(rows == [[.integer(1)]])
  }

  @Test func nilThatWasADefaultInBetweenStaysTheDefault() throws {
    let required = Property.required("code", .string, default: .string("none"))
    let paths = try EveryPath([
      [Self.person(Self.code)], [Self.person(required)], [Self.person(Self.code)],
    ])

    let rows = try paths.rows(
      "SELECT code FROM Person", after: "INSERT INTO Person(_row, code) VALUES (1, NULL), (2, 'x')")

    #expect(rows == [[.text("none")], [.text("x")]])
  }

  @Test func nilBecomesTheDefaultBesideABlock() throws {
    let block = Step(to: 1) { step in
      try step.map("Person", to: "Person") { _, new in new.write(1, .int(7)) }
    }
    let paths = try EveryPath(
      [
        [Self.person(Self.code, Self.n)],
        [Self.person(.required("code", .string, default: .string("none")), Self.n)],
      ],
      steps: [1: { $0.swiftModels = ["Person"] }], blocks: [block])

    let rows = try paths.rows(
      "SELECT code, n FROM Person",
      after: "INSERT INTO Person(_row, code, n) VALUES (1, NULL, 1), (2, 'x', 2)")

    #expect(rows == [[.text("none"), .integer(7)], [.text("x"), .integer(7)]])
  }

  // MARK: - Models

  @Test func aModelThatReturnsIsEmptyAndOneThatTakesItsNameIsNot() throws {
    let a = Model(name: "A", properties: [Self.n])
    let b = Model(name: "B", properties: [Self.n])
    let paths = try EveryPath(
      [[a, b], [b], [a, b], [a]],
      steps: [
        1: { $0.drop = [SchemaPath("A")] },
        3: {
          $0.drop = [SchemaPath("A")]
          $0.renames.models = ["B": "A"]
        },
      ])

    let rows = try paths.rows(
      "SELECT _row FROM A", after: "INSERT INTO A(_row, n) VALUES (1, 1)",
      "INSERT INTO B(_row, n) VALUES (2, 2)")

    #expect(rows == [[.integer(2)]])
  }

  @Test func modelsExchangeTheirNamesAndLinksFollow() throws {
    func models(_ first: String, _ second: String) -> [Model] {
      [
        Model(name: first, properties: [.list("many", of: second), Self.n]),
        Model(name: second, properties: [.link("one", to: first), Self.n]),
      ]
    }
    let paths = try EveryPath(
      [models("A", "B"), models("B", "A"), models("B", "A")],
      steps: [1: { $0.renames.models = ["A": "B", "B": "A"] }])

    let rows = try paths.rows(
      "SELECT one, value FROM A JOIN \"B.many\" ON value = A._row",
      after: "INSERT INTO A(_row, n) VALUES (1, 1)", "INSERT INTO B(_row, n, one) VALUES (2, 2, 1)",
      "INSERT INTO \"A.many\" VALUES (1, 10, 2)")

    #expect(rows == [[.integer(1), .integer(2)]])
  }

  // MARK: - Objects in properties of type any

  private static let a = Model(name: "A", properties: [n])
  private static let b = Model(name: "B", properties: [n])
  private static let note = Model(
    name: "Note",
    properties: [
      .optional("about", .any), Property(name: "more", type: .list(ValueType(.scalar(.any)))),
    ])

  /// A cell that links to an object of a model.
  private func cell(_ model: String, _ identity: Int64) -> SQLiteValue {
    .blob(AnyCoding.bytes(ofLinkTo: model, identity))
  }

  private func notes(_ first: SQLiteValue, _ second: SQLiteValue) -> [String] {
    [first, second].enumerated().flatMap { number, cell -> [String] in
      guard case .blob(let bytes) = cell else { return [] }
      let text = "x'\(Hex.encode(bytes))'"
      return [
        "INSERT INTO Note(_row, about) VALUES (\(number + 11), \(text))",
        "INSERT INTO \"Note.more\" VALUES (\(number + 11), 10, \(text)), (\(number + 11), 20, 'x')",
      ]
    }
  }

  @Test func anObjectInAnyFollowsItsModelsNames() throws {
    let (a, b) = (Self.a, Self.b)
    let c = Model(name: "C", properties: [Self.n])
    let paths = try EveryPath(
      [[a, b, Self.note], [a, b, Self.note], [b, c, Self.note]],
      steps: [
        1: { $0.renames.models = ["A": "B", "B": "A"] },
        2: { $0.renames.models = ["A": "C"] },
      ])
    let notes = notes(cell("A", 1), cell("B", 2))

    let query = """
      SELECT about, (SELECT value FROM "Note.more" WHERE _owner = Note._row \
      ORDER BY _index LIMIT 1) \
      FROM Note ORDER BY _row
      """
    let rows = try paths.rows(
      query, after: "INSERT INTO A(_row, n) VALUES (1, 1)",
      "INSERT INTO B(_row, n) VALUES (2, 2)", notes[0], notes[1], notes[2], notes[3])

    #expect(rows == [[cell("B", 1), cell("B", 1)], [cell("C", 2), cell("C", 2)]])
  }

  struct NoteBefore: FrozenObject {
    static let modelName = "Note"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var about: AnyValue { row.value(0) }
    var more: FrozenList<AnyValue> { row.list(1) }
  }

  struct NoteAfter: FrozenObject {
    static let modelName = "Note"
    static let version = 1
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var about: AnyValue {
      get { row.value(0) }
      nonmutating set { row.setValue(0, newValue) }
    }
    var more: FrozenList<AnyValue> { row.list(1) }
  }

  /// A block has no store that could open the object, and hands it on nevertheless.
  @Test(arguments: [false, true])
  func aBlockHandsAnObjectInAnyOn(looksFurther: Bool) throws {
    let (a, b) = (Self.a, Self.b)
    let told = Tally()
    let block = Step(to: 1) { step in
      try step.each(NoteBefore.self, NoteAfter.self) { old, new in
        new.about = new.about
        new.about = old.about
        told.note("\(old.about) \(new.about)")
        if looksFurther { new.more.replaceAll(with: old.more.reversed()) }
      }
    }
    let paths = try EveryPath(
      [[a, b, Self.note], [a, b, Self.note]],
      steps: [
        1: {
          $0.renames.models = ["A": "B", "B": "A"]
          $0.swiftModels = ["Note"]
        }
      ], blocks: [block])
    let notes = notes(cell("A", 1), cell("B", 2))

    let query = """
      SELECT about, (SELECT value FROM "Note.more" WHERE _owner = Note._row \
      ORDER BY _index \(looksFurther ? "DESC" : "") LIMIT 1) \
      FROM Note ORDER BY _row
      """
    let rows = try paths.rows(
      query, after: "INSERT INTO A(_row, n) VALUES (1, 1)",
      "INSERT INTO B(_row, n) VALUES (2, 2)", notes[0], notes[1], notes[2], notes[3])

    #expect(rows == [[cell("B", 1), cell("B", 1)], [cell("A", 2), cell("A", 2)]])
    #expect(Set(told.noted) == ["A B", "B A"])
  }

  @Test func anObjectInAnyBecomesTheOneThatStays() throws {
    let (a, b) = (Self.a, Self.b)
    let paths = try EveryPath(
      [[a, Self.note], [b, Self.note]],
      steps: [
        1: {
          $0.renames.models = ["A": "B"]
          $0.deduplicate = ["A": Deduplication(properties: ["n"], keep: .first)]
        }
      ])
    let notes = notes(cell("A", 2), cell("A", 3))

    let rows = try paths.rows(
      "SELECT about FROM Note ORDER BY _row",
      after: "INSERT INTO A(_row, n) VALUES (1, 5), (2, 5), (3, 6)", notes[0], notes[2])

    #expect(rows == [[cell("B", 1)], [cell("B", 3)]])
  }

  @Test func anExpressionOverAnyFollowsThemToo() throws {
    let (a, b) = (Self.a, Self.b)
    let paths = try EveryPath(
      [[a, Self.note], [b, Self.note]],
      steps: [
        1: {
          $0.renames.models = ["A": "B"]
          $0.set = ["Note": ["about": expression("old.about ?? 'nothing'")]]
        }
      ])

    let rows = try paths.rows(
      "SELECT about FROM Note ORDER BY _row", after: "INSERT INTO A(_row, n) VALUES (1, 1)",
      notes(cell("A", 1), .null)[0], "INSERT INTO Note(_row) VALUES (20)")

    #expect(rows == [[cell("B", 1)], [.text("nothing")]])
  }
}
