import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What becomes of the elements of a collection whose type changes.
@Suite struct ElementTests {
  private static func model(_ type: PropertyType, _ more: Property...) -> [Model] {
    [Model(name: "A", properties: [Property(name: "xs", type: type)] + more)]
  }

  private static func type(_ scalar: ScalarType, optional: Bool = false) -> ValueType {
    ValueType(.scalar(scalar), isOptional: optional)
  }

  private static let shapes: [@Sendable (ValueType) -> PropertyType] = [
    { .list($0) }, { .set($0) }, { .map($0) },
  ]

  /// Two elements of the object 7; a set's key is its value.
  private static func insert(_ first: String, _ second: String, _ shape: Int) -> String {
    shape == 1
      ? "INSERT INTO \"A.xs\" VALUES (7, \(first)), (7, \(second))"
      : "INSERT INTO \"A.xs\" VALUES (7, 1, \(first)), (7, 2, \(second))"
  }

  // MARK: - Elements that have become required

  @Test(arguments: 0..<3, [ScalarType.int, .string, .double])
  func elementsThatAreThereStay(_ shape: Int, _ scalar: ScalarType) throws {
    let cells = scalar == .string ? ("'1'", "'2'") : scalar == .int ? ("1", "2") : ("1.5", "2.5")
    let history = try EveryPath([
      Self.model(Self.shapes[shape](Self.type(scalar, optional: true))),
      Self.model(Self.shapes[shape](Self.type(scalar))),
      Self.model(Self.shapes[shape](Self.type(scalar, optional: true))),
    ])

    let rows = try history.rows(
      "SELECT quote(value) FROM \"A.xs\" ORDER BY 1", after: "INSERT INTO A (_row) VALUES (7)",
      Self.insert(cells.0, cells.1, shape))

    #expect(rows == [[.text(cells.0)], [.text(cells.1)]])
  }

  @Test(arguments: 0..<3)
  func anElementThatIsNilIsRefused(_ shape: Int) throws {
    let history = try EveryPath([
      Self.model(Self.shapes[shape](Self.type(.int, optional: true))),
      Self.model(Self.shapes[shape](Self.type(.int))),
      Self.model(Self.shapes[shape](Self.type(.int, optional: true))),
    ])

    let refusal = try history.refusal(
      after: "INSERT INTO A (_row) VALUES (7)", Self.insert("1", "NULL", shape))

    #expect(refusal == .refused(code: "STR5204", version: 1, model: "A"))
  }

  @Test func aStepSaysWhatNilBecomes() throws {
    for shape in 0..<3 {
      let history = try EveryPath(
        [
          Self.model(Self.shapes[shape](Self.type(.int, optional: true))),
          Self.model(Self.shapes[shape](Self.type(.int))),
        ], steps: [1: { $0.set = ["A": ["xs": expression("old.xs ?? -1")]] }])

      let rows = try history.rows(
        "SELECT value FROM \"A.xs\" ORDER BY 1", after: "INSERT INTO A (_row) VALUES (7)",
        Self.insert("1", "NULL", shape))

      #expect(rows == [[.integer(-1)], [.integer(1)]])
    }
  }

  // MARK: - Conversions

  @Test(
    arguments: [
      (ScalarType.int, ScalarType.string, "string(old.xs)", ("7", "-8"), ["'-8'", "'7'"]),
      (.string, .int, "int(old.xs) ?? 0", ("'7'", "'x'"), ["0", "7"]),
      (.double, .int, "int(old.xs) ?? 0", ("1.9", "x'7ff8000000000000'"), ["0", "1"]),
      (.int, .bool, "bool(old.xs)", ("0", "5"), ["0", "1"]),
      (.int, .any, "string(old.xs)", ("1", "2"), ["'1'", "'2'"]),
      (.decimal, .double, "double(old.xs)", ("'1.5'", "'2.5'"), ["1.5", "2.5"]),
      (.date, .double, "double(old.xs)", ("1.5", "2.5"), ["1.5", "2.5"]),
      (.float, .decimal, "decimal(old.xs) ?? decimal('0')", ("0.5", "1.5"), ["'0.5'", "'1.5'"]),
      (.string, .data, "data(old.xs)", ("'a'", "'b'"), ["X'61'", "X'62'"]),
      (.int8, .string, "string(int(string(old.xs)) ?? 0)", ("1", "2"), ["'1'", "'2'"]),
    ] as [(ScalarType, ScalarType, String, (String, String), [String])])
  func eachElementIsConverted(
    _ from: ScalarType, _ to: ScalarType, _ text: String, _ cells: (String, String),
    _ expected: [String]
  ) throws {
    for shape in 0..<3 {
      let history = try EveryPath(
        [
          Self.model(Self.shapes[shape](Self.type(from))),
          Self.model(Self.shapes[shape](Self.type(to))),
        ], steps: [1: { $0.set = ["A": ["xs": expression(text)]] }])

      let rows = try history.rows(
        "SELECT quote(value) FROM \"A.xs\" ORDER BY 1", after: "INSERT INTO A (_row) VALUES (7)",
        Self.insert(cells.0, cells.1, shape))

      #expect(rows.map { $0[0] } == expected.map(SQLiteValue.text))
    }
  }

  @Test func aMapKeepsItsKeys() throws {
    let map = { PropertyType.map(Self.type($0)) }
    let history = try EveryPath(
      [
        Self.model(map(.int), Property(name: "ys", type: map(.int))),
        Self.model(map(.string), Property(name: "ys", type: map(.int))),
      ],
      steps: [
        1: {
          $0.set = [
            "A": [
              "xs": expression("string(old.xs)"),
              "ys": expression("if(old.xs.@count > 1, old.xs, old.ys)"),
            ]
          ]
        }
      ])

    let rows = try history.rows(
      "SELECT x._index, x.value, y._index, y.value FROM \"A.xs\" x, \"A.ys\" y ORDER BY 1, 3",
      after: "INSERT INTO A (_row) VALUES (7)",
      "INSERT INTO \"A.xs\" VALUES (7, 'a', 1), (7, 'b', 2)")

    #expect(rows.count == 4)
    #expect(rows.first == [.text("a"), .text("1"), .text("a"), .integer(1)])
    #expect(rows.last == [.text("b"), .text("2"), .text("b"), .integer(2)])
  }

  /// Beside a block, which sees what the step has made.
  @Test func aBlockSeesTheConvertedElements() throws {
    let block = Step(to: 1) { step in
      for new in try step.objects(FrozenA1.self) {
        new.count = new.xs.elements.filter { $0 == "7" }.count
      }
    }
    let count = Property.required("count", .int, default: .int(0))
    let history = try EveryPath(
      [
        Self.model(.list(Self.type(.int)), count), Self.model(.list(Self.type(.string)), count),
      ],
      steps: [
        1: {
          $0.set = ["A": ["xs": expression("string(old.xs)")]]
          $0.swiftModels = ["A"]
        }
      ], blocks: [block])

    let rows = try history.rows(
      "SELECT count FROM A", after: "INSERT INTO A (_row, count) VALUES (7, 0)",
      "INSERT INTO \"A.xs\" VALUES (7, 1, 7), (7, 2, 8), (7, 3, 7)")

    #expect(rows == [[.integer(2)]])
  }

  @Test(arguments: [
    ("string(old.xs)", ScalarType.int, "string is no value for 'xs'"),
    ("int(old.xs)", .int, "the value may be nil"),
    ("uuid(old.xs) ?? 1", .uuid, "int is no value for 'xs'"),
    ("date(old.ys)", .date, "no property 'ys'"),
  ])
  func whatDoesNotFitIsSaidOnceWhereTheStepIsChecked(
    _ text: String, _ to: ScalarType, _ message: String
  ) throws {
    let old = Schema(name: "T", version: 0, models: Self.model(.list(Self.type(.string))))
    let new = Schema(name: "T", version: 1, models: Self.model(.list(Self.type(to))))
    let errors = TypeChecker(schema: old, model: old.models[0], use: .step).check(
      expression(text), assignedTo: AssignmentTarget(new.models[0].properties[0], in: new))

    #expect(errors.count == 1 && errors[0].message.contains(message), "\(errors)")
  }
}

/// The model `A` with its converted list, as code generation writes it.
private struct FrozenA1: FrozenObject {
  static let modelName = "A"
  static let version = 1
  let _row: FrozenRow

  var count: Int {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
  var xs: FrozenList<String> { _row.list(1) }
}
