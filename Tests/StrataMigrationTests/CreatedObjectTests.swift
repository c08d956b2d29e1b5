import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Objects and values that come about while a block runs: on every path the same, and whole or not there.
@Suite struct CreatedObjectTests {
  private struct Mine: Error {}

  private static let token = Property(
    name: "token", type: .value(ValueType(.scalar(.uuid))), generate: .uuid)

  private static func thing(key: Property, _ properties: Property...) -> Model {
    Model(name: "Thing", primaryKey: [key.name], properties: [key] + properties)
  }

  // MARK: - Generated values

  /// The key is the block's, and what is generated beside it does not depend on when it is asked for.
  @Test(arguments: [false, true])
  func aGeneratedValueBesideAKeyThatABlockGives(looksBeyond: Bool) throws {
    let old = Self.thing(key: .required("number", .int))
    let new = Self.thing(key: .required("id", .int), Self.token)
    let paths = try EveryPath(
      [[old], [new]],
      steps: [
        1: {
          $0.swiftModels = ["Thing"]
          $0.drop = [SchemaPath("Thing", "number")]
        }
      ],
      blocks: [
        Step(to: 1) { step in
          if looksBeyond { _ = try step.requireWorkspace() }
          try step.map("Thing", to: "Thing") { old, new in
            new["id"] = .int(old.number("number") + 100)
          }
        }
      ])

    let rows = try paths.rows(
      "SELECT count(*), count(DISTINCT token), sum(id) FROM Thing",
      after: "INSERT INTO Thing (_row, number) VALUES (1, 5), (2, 6)")

    #expect(rows == [[.integer(2), .integer(2), .integer(211)]])
  }

  /// A key that all objects begin with tells none of them from the others.
  @Test func aGeneratedValueBesideAKeyThatBeginsWithADefault() throws {
    let old = Model(name: "Thing", properties: [.required("number", .int)])
    let new = Self.thing(
      key: .required("code", .int, default: .int(0)), .required("number", .int), Self.token)
    let paths = try EveryPath(
      [[old], [new]],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [
        Step(to: 1) { step in
          try step.map("Thing", to: "Thing") { old, new in
            new["code"] = old["number"]
          }
          let workspace = try step.requireWorkspace()
          for code: Int64 in 7...8 {
            _ = try workspace.create("Thing", version: 1) { row in
              row["code"] = .int(code)
              row["number"] = .int(0)
            }
          }
        }
      ])

    let rows = try paths.rows(
      "SELECT count(*), count(DISTINCT token) FROM Thing",
      after: "INSERT INTO Thing (_row, number) VALUES (1, 5), (2, 6)")

    #expect(rows == [[.integer(4), .integer(4)]])
  }

  /// What becomes the key is no key before the block has run.
  @Test func aGeneratedValueBesideAKeyThatIsMadeOfAnother() throws {
    let code = Property.required("code", .string)
    let old = Self.thing(key: .required("sku", .string), code)
    let new = Model(
      name: "Thing", primaryKey: ["code"],
      properties: [code, .required("sku", .string), Self.token])
    let paths = try EveryPath(
      [[old], [new]],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [
        Step(to: 1) { step in
          try step.map("Thing", to: "Thing") { old, new in new["code"] = old["sku"] }
        }
      ])

    let rows = try paths.rows(
      "SELECT count(*), count(DISTINCT token) FROM Thing",
      after: "INSERT INTO Thing (_row, sku, code) VALUES (1, 'a', ''), (2, 'b', '')")

    #expect(rows == [[.integer(2), .integer(2)]])
  }

  // MARK: - Creating

  @Test func whatIsCreatedHalfIsNotThere() throws {
    let dog = Model(
      name: "Dog",
      properties: [
        .required("name", .string), .optional("age", .int),
        Property(name: "tags", type: .list(ValueType(.scalar(.string)))),
      ])
    let paths = try EveryPath(
      [[dog], [dog]],
      steps: [1: { $0.swiftModels = ["Dog"] }],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          for isWhole in [true, false] {
            do {
              _ = try workspace.create("Dog", version: 1) { row in
                row["name"] = .string("new")
                let tags: FrozenList<String> = row.list(named: "tags")
                tags.append("a")
                guard isWhole else { throw Mine() }
              }
            } catch is Mine {}
          }
        }
      ])

    #expect(
      try paths.rows(
        #"SELECT name, age, (SELECT count(*) FROM "Dog.tags") FROM Dog"#)
        == [[.text("new"), .null, .integer(1)]])
  }

  /// What an object that was made half is linked from stays, whatever the delete rule.
  @Test func whatLinksToSomethingHalfStays() throws {
    let guest = Model(name: "Guest", properties: [.optional("name", .string)])
    let visit = Model(name: "Visit", properties: [.link("guest", to: "Guest", .cascade)])
    let paths = try EveryPath(
      [[guest, visit], [guest, visit]],
      steps: [1: { $0.swiftModels = ["Guest", "Visit"] }],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          for visit in try workspace.rows(of: "Visit", version: 1) {
            _ = try? workspace.create("Guest", version: 1) { row in
              visit["guest"] = .link(row.identity)
              throw Mine()
            }
          }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT (SELECT count(*) FROM Guest), count(*), count(guest) FROM Visit",
        after: "INSERT INTO Visit (_row) VALUES (1), (2)")
        == [[.integer(0), .integer(2), .integer(0)]])
  }

  // MARK: - Deleting

  private static let place = Model(
    name: "Place", isEmbedded: true, properties: [.required("town", .string)])
  private static let person = Model(
    name: "Person",
    properties: [.required("gone", .bool), .link("home", to: "Place"), .list("spare", of: "Place")])
  private static let town = Model(name: "Town", properties: [.required("name", .string)])

  /// What only deleted objects own is not there when the block runs, however it is owned.
  @Test func whatDeletedObjectsOwnIsGoneBeforeTheBlock() throws {
    let paths = try EveryPath(
      [[Self.person, Self.place], [Self.person, Self.place, Self.town]],
      steps: [
        1: {
          $0.delete = ["Person": expression("old.gone")]
          $0.swiftModels = ["Place", "Town"]
        }
      ],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          for place in try workspace.rows(of: "Place", version: 1) {
            _ = try workspace.create("Town", version: 1) { $0["name"] = place["town"] }
          }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT name FROM Town ORDER BY name",
        after: "INSERT INTO Place (_row, town) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
        "INSERT INTO Person (_row, gone, home) VALUES (5, 0, 1), (6, 1, 3)",
        #"INSERT INTO "Person.spare" VALUES (5, 10, 2), (6, 10, 4)"#)
        == [[.text("a")], [.text("b")]])
  }

  /// A collection is worked out for the objects that stay.
  @Test func nothingIsAskedAboutDeletedObjects() throws {
    let list = ValueType(.scalar(.int))
    let old = Model(
      name: "Thing",
      properties: [Property(name: "a", type: .list(list)), .required("n", .int)])
    let new = Model(
      name: "Thing", properties: old.properties + [Property(name: "c", type: .list(list))])
    let paths = try EveryPath(
      [[old], [new]],
      steps: [
        1: {
          $0.delete = ["Thing": expression("old.n == 0")]
          $0.set = ["Thing": ["c": expression("if(10 / old.n > 2, old.a, [])")]]
        }
      ])

    #expect(
      try paths.rows(
        #"SELECT _owner, value FROM "Thing.c""#,
        after: "INSERT INTO Thing (_row, n) VALUES (1, 0), (2, 4)",
        #"INSERT INTO "Thing.a" VALUES (1, 10, 7), (2, 10, 8)"#) == [])
  }

  // MARK: - Errors

  @Test func aBlockThatThrowsNamesTheObjectThatItWentToLast() throws {
    let models = [Model(name: "Thing", properties: [.required("n", .int)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [
        Step(to: 1) { step in
          for thing in try step.requireWorkspace().rows(of: "Thing", version: 0)
          where thing.number("n") == 7 { throw Mine() }
        }
      ])
    let bench = try Workbench()
    let path = try bench.sample(version: 0, of: paths.target, objects: 0)
    try bench.sql(path, "INSERT INTO Thing (_row, n) VALUES (4, 1), (5, 7), (6, 1)")

    let error = #expect(throws: MigrationError.self) { try upgrade(path, paths.target) }

    #expect(
      error?.description
        == "The block of version 1 stopped the upgrade: Mine() (the last object that it went to: Thing #5)"
    )
  }

  /// What was made half stays there, so that catching the error is not enough.
  @Test func anErrorThatIsCaughtStopsTheUpgradeWhereARequiredLinkLeadsToTheObject() throws {
    let line = Model(
      name: "Line",
      properties: [
        Property(
          name: "order", type: .value(ValueType(.object("Order"))), deleteRule: .cascade)
      ])
    let models = [line, Model(name: "Order")]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Line", "Order"] }],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          _ = try? workspace.create("Order", version: 1) { order in
            _ = try workspace.create("Line", version: 1) { $0["order"] = .link(order.identity) }
            throw Mine()
          }
        }
      ])
    let bench = try Workbench()
    let path = try bench.sample(version: 0, of: paths.target, objects: 0)

    let error = #expect(throws: MigrationError.self) { try upgrade(path, paths.target) }

    #expect(
      error?.description == """
        The block of version 1 stopped the upgrade: Mine() (while it created a Order). The object cannot be taken back, also where the \
        block catches the error: Line.order, a required link, leads to it.
        """)
  }

  /// Another error of the same words was caught before, at an object that is not there.
  @Test func anErrorNamesTheObjectAtWhichItStops() throws {
    let models = [Model(name: "Thing", properties: [.required("n", .int)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          _ = try? workspace.create("Thing", version: 1) { _ in throw Mine() }
          for thing in try workspace.rows(of: "Thing", version: 0)
          where thing.number("n") == 7 { throw Mine() }
        }
      ])
    let bench = try Workbench()
    let path = try bench.sample(version: 0, of: paths.target, objects: 0)
    try bench.sql(path, "INSERT INTO Thing (_row, n) VALUES (4, 1), (5, 7)")

    let error = #expect(throws: MigrationError.self) { try upgrade(path, paths.target) }

    #expect(error?.description.contains("Thing #5") == true, "\(String(describing: error))")
  }

  /// The value that could not be read came first, and is why the block throws.
  @Test(arguments: [false, true])
  func anUnreadableValueIsNamedAndNotWhatABlockMakesOfIt(looksBeyond: Bool) throws {
    let models = [Model(name: "Thing", properties: [.required("name", .string)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [
        Step(to: 1) { step in
          if looksBeyond { _ = try step.requireWorkspace() }
          try step.map("Thing", to: "Thing") { old, _ in
            if old.text("name").isEmpty { throw Mine() }
          }
        }
      ])
    let bench = try Workbench()
    let path = try bench.sample(version: 0, of: paths.target, objects: 1)
    try bench.sql(path, "PRAGMA writable_schema = ON")
    try bench.sql(path, "UPDATE Thing SET name = CAST(x'ff' AS TEXT)")

    let error = #expect(throws: (any Error).self) { try upgrade(path, paths.target) }

    #expect(error.map { "\($0)".contains("Mine") } == false, "\(String(describing: error))")
    #expect(error.map { "\($0)".contains("Thing") } == true, "\(String(describing: error))")
  }
}
