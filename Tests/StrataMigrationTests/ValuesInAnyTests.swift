import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What goes into a property of type `any` keeps its type and its bits, on every path.
@Suite struct ValuesInAnyTests {
  private static func models(_ type: ScalarType) -> [Model] {
    [Model(name: "A", properties: [.optional("v", type)])]
  }

  private static let nan = "x'7ff8000000000000'"

  /// A cell of each type, and the cell that `any` has for the same value.
  private static let cells: [(type: ScalarType, cell: String, inAny: String)] = [
    (.bool, "1", "x'0101'"), (.bool, "0", "x'0100'"),
    (.int, "-7", "-7"), (.string, "'7'", "'7'"), (.double, "1.5", "1.5"), (.double, "-0.0", "-0.0"),
    (.double, nan, "x'037ff8000000000000'"),
    (.float, "0.5", "x'023f000000'"), (.float, nan, "x'027fc00000'"),
    (.data, "x'00ff'", "x'0400ff'"), (.data, "x'0101'", "x'040101'"),
    (.date, "1.5", "x'053ff8000000000000'"), (.date, nan, "x'057ff8000000000000'"),
    (.uuid, "x'00112233445566778899aabbccddeeff'", "x'0600112233445566778899aabbccddeeff'"),
    (.decimal, "'1.5'", "x'07312e35'"), (.decimal, "'NaN'", "x'074e614e'"),
    (.objectID, "x'00112233445566778899aabb'", "x'0800112233445566778899aabb'"),
    (.bool, "NULL", "NULL"), (.date, "NULL", "NULL"),
  ]

  @Test(arguments: cells, ["", "old.v", "if(old.v == nil, nil, old.v)", "old.v ?? old.v"])
  func aValueKeepsItsType(
    _ value: (type: ScalarType, cell: String, inAny: String), _ text: String
  ) throws {
    let history = try EveryPath(
      [Self.models(value.type), Self.models(.any)],
      steps: [1: { if !text.isEmpty { $0.set = ["A": ["v": expression(text)]] } }])

    let rows = try history.rows(
      "SELECT quote(v) = quote(\(value.inAny)) FROM A",
      after: "INSERT INTO A (_row, v) VALUES (7, \(value.cell))")

    #expect(rows == [[.integer(1)]])
  }

  @Test(
    arguments: [
      ("true", "x'0101'"), ("float('0.5')", "x'023f000000'"), ("double('nan')", nil),
      ("x'00ff'", "x'0400ff'"), ("date(1.5)", "x'053ff8000000000000'"),
      ("decimal('1.5')", "x'07312e35'"), ("7", "7"), ("'7'", "'7'"), ("1.5", "1.5"),
      ("uuid('00112233-4455-6677-8899-aabbccddeeff')", "x'0600112233445566778899aabbccddeeff'"),
      ("objectId('00112233445566778899aabb')", "x'0800112233445566778899aabb'"),
    ] as [(String, String?)])
  func aLiteralInABranchKeepsItsType(_ literal: String, _ cell: String?) throws {
    for text in ["if(old.v == 1, \(literal), nil)", "nil ?? \(literal)", literal] {
      let history = try EveryPath(
        [Self.models(.int), Self.models(.any)],
        steps: [1: { $0.set = ["A": ["v": expression(text)]] }])

      let rows = try history.rows(
        cell.map { "SELECT quote(v) = quote(\($0)) FROM A" } ?? "SELECT hex(v) LIKE '03%' FROM A",
        after: "INSERT INTO A (_row, v) VALUES (7, 1)")

      #expect(rows == [[.integer(1)]], "\(text)")
    }
  }

  /// An object says its model, which has another name after the step.
  @Test(arguments: ["", "old.v", "if(old.v == nil, nil, old.v)"])
  func anObjectIsCalledByItsNewName(_ text: String) throws {
    let history = try EveryPath(
      [Self.models(.any), [Model(name: "B", properties: [.optional("v", .any)])]],
      steps: [
        1: {
          $0.renames.models = ["A": "B"]
          if !text.isEmpty { $0.set = ["B": ["v": expression(text)]] }
        }
      ])

    let rows = try history.rows(
      "SELECT hex(v) FROM B", after: "INSERT INTO A (_row, v) VALUES (7, x'09000000000000000741')")

    #expect(rows == [[.text("09000000000000000742")]])
  }

  /// A block compares by the newer name what it reads of the old and of the new object.
  @Test(arguments: [false, true])
  func anObjectIsTheSameBesideItsNewName(looksBeyond: Bool) throws {
    let history = try EveryPath(
      [
        [Model(name: "A", properties: [.optional("v", .any), .optional("w", .any)])],
        [
          Model(
            name: "B",
            properties: [
              .required("n", .int, default: .int(0)), .optional("v", .any), .optional("w", .any),
            ])
        ],
      ],
      steps: [
        1: {
          $0.renames.models = ["A": "B"]
          $0.swiftModels = ["B"]
        }
      ],
      blocks: [
        Step(to: 1) { step in
          if looksBeyond { _ = try step.requireWorkspace() }
          try step.map("A", to: "B") { old, new in
            let before: [AnyValue] = [old.value(0), old.value(0), old.value(1)]
            let after: [AnyValue] = [new.value(1), new.value(1), new.value(2)]
            let isSame =
              before[0] == before[1] && after[0] == after[1] && before == after && after == before
            let isOther = before[0] != before[2] && after[0] != before[2] && before[0] != after[2]
            new["n"] = .int(isSame && isOther ? Int64(Set(before + after).count) : 0)
          }
        }
      ])

    let rows = try history.rows(
      "SELECT n FROM B ORDER BY _row",
      after: """
        INSERT INTO A (_row, v, w) VALUES (7, x'09000000000000000741', x'09000000000000000841'), \
        (8, x'09000000000000000741', 1)
        """)

    #expect(rows == [[.integer(2)], [.integer(2)]])
  }

  /// The same for each element, and for links, which say no model by themselves.
  @Test func elementsOfACollectionAreObjectsToo() throws {
    func model(_ name: String, _ type: PropertyType, _ links: PropertyType) -> [Model] {
      [
        Model(
          name: name,
          properties: [Property(name: "vs", type: type), Property(name: "ls", type: links)])
      ]
    }
    let any = PropertyType.list(ValueType(.scalar(.any)))
    let history = try EveryPath(
      [model("A", any, .list(ValueType(.object("A")))), model("B", any, any)],
      steps: [
        1: {
          $0.renames.models = ["A": "B"]
          $0.set = ["B": ["vs": expression("old.vs"), "ls": expression("old.ls")]]
        }
      ])

    let rows = try history.rows(
      "SELECT hex(v.value), hex(l.value) FROM \"B.vs\" v, \"B.ls\" l",
      after: "INSERT INTO A (_row) VALUES (7)",
      "INSERT INTO \"A.vs\" VALUES (7, 1, x'09000000000000000741')",
      "INSERT INTO \"A.ls\" VALUES (7, 1, 7)")

    #expect(rows == [[.text("09000000000000000742"), .text("09000000000000000742")]])
  }

  /// Two numbers that a set's key takes for one: the first of the list stays.
  @Test(arguments: ["", "old.vs"])
  func aSetTakesEqualNumbersForOne(_ text: String) throws {
    func model(_ type: PropertyType) -> [Model] {
      [Model(name: "A", properties: [Property(name: "vs", type: type)])]
    }
    let any = ValueType(.scalar(.any))
    let history = try EveryPath(
      [model(.list(any)), model(.set(any))],
      steps: [1: { if !text.isEmpty { $0.set = ["A": ["vs": expression(text)]] } }])

    let rows = try history.rows(
      "SELECT quote(value) FROM \"A.vs\" ORDER BY 1",
      after: "INSERT INTO A (_row) VALUES (7)",
      "INSERT INTO \"A.vs\" VALUES (7, 1, 1), (7, 2, 1.0), (7, 3, '1'), (7, 4, 0.0), (7, 5, -0.0)")

    #expect(rows == [[.text("'1'")], [.text("0.0")], [.text("1")]])
  }

  /// Only its owner leads to an embedded object.
  @Test func linksToAModelThatBecomesEmbeddedGo() throws {
    func models(isEmbedded: Bool) -> [Model] {
      [
        Model(
          name: "P",
          properties: [
            .link("t", to: "T"), .optional("x", .any),
            Property(name: "xs", type: .list(ValueType(.scalar(.any)))),
          ]),
        Model(name: "T", isEmbedded: isEmbedded, properties: [.required("n", .int)]),
      ]
    }
    let history = try EveryPath([
      models(isEmbedded: false), models(isEmbedded: true), models(isEmbedded: true),
    ])

    let rows = try history.rows(
      "SELECT t, x, (SELECT group_concat(quote(value)) FROM \"P.xs\") FROM P",
      after: "INSERT INTO T (_row, n) VALUES (3, 7)",
      "INSERT INTO P (_row, t, x) VALUES (1, 3, x'09000000000000000354')",
      "INSERT INTO \"P.xs\" VALUES (1, 1, x'09000000000000000354'), (1, 2, 5)")

    #expect(rows == [[.integer(3), .null, .text("5")]])
  }

  // MARK: - Names of SQLite

  /// A property called `rowid` hides SQLite's name of the row.
  private static let namedAsRows = [
    Model(name: "D", properties: [.required("e", .string)]),
    Model(
      name: "P",
      properties: [
        .optional("_rowid_", .int), .optional("oid", .int), .optional("rowid", .int),
        .optional("x", .any),
      ]),
  ]
  private static let twoLinksAndAText = """
    INSERT INTO P (_row, _rowid_, oid, rowid, x) VALUES (11, 20, 20, 20, x'09000000000000000244'), \
    (12, 20, 20, 20, x'09000000000000000344'), (13, 20, 20, 20, 'kept'), (14, 20, 20, 20, x'09000000000000000244')
    """

  @Test func onlyLinksToDeletedObjectsAreEmptied() throws {
    let history = try EveryPath(
      [Self.namedAsRows, Self.namedAsRows],
      steps: [1: { $0.delete = ["D": expression("old.e == 'b'")] }])

    let rows = try history.rows(
      "SELECT _row, quote(x), rowid FROM P ORDER BY _row",
      after: "INSERT INTO D (_row, e) VALUES (2, 'b'), (3, 'c')", Self.twoLinksAndAText)

    #expect(
      rows == [
        [.integer(11), .text("NULL"), .integer(20)],
        [.integer(12), .text("X'09000000000000000344'"), .integer(20)],
        [.integer(13), .text("'kept'"), .integer(20)],
        [.integer(14), .text("NULL"), .integer(20)],
      ])
  }

  @Test func onlyLinksToDuplicatesLeadToWhatStays() throws {
    let history = try EveryPath(
      [Self.namedAsRows, Self.namedAsRows],
      steps: [1: { $0.deduplicate = ["D": Deduplication(properties: ["e"], keep: .first)] }])

    let rows = try history.rows(
      "SELECT _row, quote(x), rowid FROM P ORDER BY _row",
      after: "INSERT INTO D (_row, e) VALUES (1, 'b'), (2, 'b'), (3, 'c')", Self.twoLinksAndAText)

    #expect(
      rows == [
        [.integer(11), .text("X'09000000000000000144'"), .integer(20)],
        [.integer(12), .text("X'09000000000000000344'"), .integer(20)],
        [.integer(13), .text("'kept'"), .integer(20)],
        [.integer(14), .text("X'09000000000000000144'"), .integer(20)],
      ])
  }
}
