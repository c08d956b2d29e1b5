import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Objects that a step finds by their primary key.
@Suite struct LookupTests {
  private static let account = Model(
    name: "Account", primaryKey: ["id"],
    properties: [.required("id", .int), .required("name", .string)])
  private static let accounts =
    "INSERT INTO Account(_row, id, name) VALUES (1, 70, 'Ada'), (2, 80, 'Bob')"

  private static func order(_ account: Property) -> Model {
    Model(name: "Order", properties: [account, .required("sum", .int)])
  }

  private static let orders =
    "INSERT INTO \"Order\"(_row, account, sum) VALUES (3, 80, 1), (4, 70, 2), (5, 99, 3), (6, NULL, 4)"

  @Test(
    "A column becomes the link to the object with that key; what finds none is nil, on every path")
  func aColumnBecomesALink() throws {
    let paths = try EveryPath(
      [
        [Self.account, Self.order(.optional("account", .int))],
        [Self.account, Self.order(.link("account", to: "Account"))],
      ],
      steps: [
        1: { $0.set = ["Order": ["account": expression("lookup(Account, key: old.account)")]] }
      ])

    let rows = try paths.rows(
      "SELECT sum, account FROM \"Order\" ORDER BY _row", after: Self.accounts, Self.orders)

    #expect(
      rows == [
        [.integer(1), .integer(2)], [.integer(2), .integer(1)], [.integer(3), .null],
        [.integer(4), .null],
      ])
  }

  @Test("lookup reads the objects before the step: old keys, old values, old names")
  func theSideBeforeTheStep() throws {
    let newer = Model(
      name: "Customer", primaryKey: ["id"],
      properties: [.required("id", .int), .required("name", .string)])
    let paths = try EveryPath(
      [
        [Self.account, Self.order(.optional("account", .int))],
        [
          newer,
          Model(
            name: "Order",
            properties: [
              .link("customer", to: "Customer"), .optional("name", .string), .required("sum", .int),
            ]),
        ],
      ],
      steps: [
        1: {
          $0.renames.models = ["Account": "Customer"]
          $0.set = [
            "Customer": ["id": expression("old.id + 10"), "name": expression("upper(old.name)")],
            "Order": [
              "customer": expression("lookup(Account, key: old.account)"),
              "name": expression("lookup(Account, key: old.account).name"),
            ],
          ]
          $0.drop = [SchemaPath("Order", "account")]
        }
      ])

    let rows = try paths.rows(
      """
      SELECT o.sum, o.name, c.id, c.name FROM "Order" o LEFT JOIN Customer c ON c._row = o.customer
      ORDER BY o._row
      """, after: Self.accounts, Self.orders)

    #expect(
      rows == [
        [.integer(1), .text("Bob"), .integer(90), .text("BOB")],
        [.integer(2), .text("Ada"), .integer(80), .text("ADA")],
        [.integer(3), .null, .null, .null], [.integer(4), .null, .null, .null],
      ])
  }

  @Test("A required link takes a lookup where the step deletes the objects without one")
  func aRequiredLink() throws {
    let required = Property(
      name: "account", type: .value(ValueType(.object("Account"))), deleteRule: .cascade)
    let paths = try EveryPath(
      [
        [Self.account, Self.order(.optional("account", .int))],
        [Self.account, Self.order(required)],
      ],
      steps: [
        1: {
          $0.set = ["Order": ["account": expression("lookup(Account, key: old.account)")]]
          $0.delete = ["Order": expression("lookup(Account, key: old.account) == nil")]
        }
      ])

    let rows = try paths.rows(
      "SELECT sum, account FROM \"Order\" ORDER BY _row", after: Self.accounts, Self.orders)

    #expect(rows == [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
  }

  @Test("Behind steps that are made in one pass, a lookup sees what they made")
  func behindAFusedPass() throws {
    func account(_ more: Property...) -> Model {
      Model(name: "Account", primaryKey: ["id"], properties: [.required("id", .int)] + more)
    }
    let name = Property.required("name", .string)
    let label = Property.optional("label", .string)
    let paths = try EveryPath(
      [
        [account(name), Self.order(.optional("account", .int))],
        [account(name, label), Self.order(.optional("account", .int))],
        [
          account(name, label),
          Model(
            name: "Order",
            properties: [
              .optional("account", .int), .optional("label", .string), .required("sum", .int),
            ]),
        ],
        [
          account(name, label),
          Model(
            name: "Order",
            properties: [.optional("label", .string), .optional("sum", .string)]),
        ],
      ],
      steps: [
        1: { $0.set = ["Account": ["label": expression("old.name + '!'")]] },
        2: { $0.set = ["Order": ["label": expression("lookup(Account, key: old.account).label")]] },
        3: {
          $0.set = ["Order": ["sum": expression("string(old.sum)")]]
          $0.drop = [SchemaPath("Order", "account")]
        },
      ])

    let rows = try paths.rows(
      "SELECT sum, label FROM \"Order\" ORDER BY _row", after: Self.accounts, Self.orders)

    #expect(
      rows == [
        [.text("1"), .text("Bob!")], [.text("2"), .text("Ada!")], [.text("3"), .null],
        [.text("4"), .null],
      ])
  }

  @Test(
    "A key of several properties is looked up by all of them, also in a condition and for each element"
  )
  func aCompoundKey() throws {
    let seat = Model(
      name: "Seat", primaryKey: ["row", "number"],
      properties: [.required("number", .int), .required("row", .string)])
    func guest(_ more: Property...) -> Model {
      Model(
        name: "Guest",
        properties: [.optional("number", .int), .optional("row", .string)] + more)
    }
    let paths = try EveryPath(
      [[seat, guest()], [seat, guest(.link("seat", to: "Seat"))]],
      steps: [
        1: {
          $0.set = ["Guest": ["seat": expression("lookup(Seat, key: old.row, old.number)")]]
          $0.delete = [
            "Guest": expression("old.row != nil AND lookup(Seat, key: old.row, old.number) == nil")
          ]
        }
      ])

    let rows = try paths.rows(
      "SELECT row, number, seat FROM Guest ORDER BY _row",
      after: "INSERT INTO Seat(_row, row, number) VALUES (1, 'A', 1), (2, 'A', 2), (3, 'B', 1)",
      "INSERT INTO Guest(_row, row, number) VALUES (4, 'B', 1), (5, 'A', 2), (6, 'B', 2), (7, NULL, 1)"
    )

    #expect(
      rows == [
        [.text("B"), .integer(1), .integer(3)], [.text("A"), .integer(2), .integer(2)],
        [.null, .integer(1), .null],
      ])
  }

  @Test("A number that the key cannot hold is no object's key")
  func beyondTheKey() throws {
    let small = Model(
      name: "Account", primaryKey: ["id"],
      properties: [.required("id", .int8), .required("name", .string)])
    let paths = try EveryPath(
      [
        [small, Self.order(.optional("account", .int))],
        [small, Self.order(.link("account", to: "Account"))],
      ],
      steps: [
        1: { $0.set = ["Order": ["account": expression("lookup(Account, key: old.account)")]] }
      ])

    let rows = try paths.rows(
      "SELECT account FROM \"Order\" ORDER BY _row", after: Self.accounts,
      "INSERT INTO \"Order\"(_row, account, sum) VALUES (3, 80, 1), (4, 4166, 2)")

    #expect(rows == [[.integer(2)], [.null]])
  }
}
