import Strata
import StrataSchema
import Testing

/// Objects whose primary key is made with them, as lines of an order.
@Suite struct GeneratedKeyTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(path: folder.file("shop.db"), schema: Shop.self)
  }

  private enum Shop: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: Schema(
        name: "Shop", version: 0,
        models: [
          Model(
            name: "Line", primaryKey: ["id"],
            properties: [
              Property(name: "id", type: .value(ValueType(.scalar(.uuid))), generate: .uuid),
              number("qty"),
            ]),
          Model(
            name: "Order", primaryKey: ["id"],
            properties: [
              number("id"), Property(name: "lines", type: .list(ValueType(.object("Line")))),
            ]),
          Model(
            name: "Seat", primaryKey: ["id", "row"],
            properties: [
              Property(
                name: "id", type: .value(ValueType(.scalar(.objectID), isOptional: true)),
                generate: .objectID),
              number("qty"),
              Property(
                name: "row", type: .value(ValueType(.scalar(.int))), defaultValue: .int(1)),
            ]),
        ]))

    private static func number(_ name: String) -> Property {
      Property(name: name, type: .value(ValueType(.scalar(.int))))
    }
  }

  private func quantities(_ model: String = "Line") throws -> [Int] {
    try store.objects(named: model).compactMap { $0["qty"] as? Int }.sorted()
  }

  @Test(arguments: [UpdatePolicy.error, .modified, .all])
  func nestedValuesWithoutAKeyAreAnObjectEach(policy: UpdatePolicy) throws {
    let order = try store.write {
      try store.create(
        named: "Order", value: ["id": 1, "lines": [["qty": 1], ["qty": 2], ["qty": 2]]],
        update: policy)
    }

    #expect(try quantities() == [1, 2, 2])
    let lines = try #require(order["lines"] as? List<AnyValue>)
    #expect(Set(lines).count == 3)
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func aKeyThatIsGivenUpdates(policy: UpdatePolicy) throws {
    let line = try store.write { try store.create(named: "Line", value: ["qty": 1]) }
    let id = try #require(line["id"])
    try store.write {
      try store.create(
        named: "Order", value: ["id": 1, "lines": [["id": id, "qty": 5], ["qty": 6]]],
        update: policy)
    }

    #expect(line["qty"] as? Int == 5)
    #expect(try quantities() == [5, 6])
  }

  /// A nil that is stored is no answer to what is not given.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func theObjectWithoutAKeyStaysAsItIs(policy: UpdatePolicy) throws {
    try store.write {
      try store.create(named: "Seat", value: ["id": nil, "qty": 1] as [String: Any?])
    }
    try store.write {
      try store.create(named: "Seat", value: ["qty": 2], update: policy)
      try store.create(
        named: "Seat", value: ["id": nil, "qty": 3] as [String: Any?], update: policy)
    }

    #expect(try quantities("Seat") == [2, 3])
  }
}
