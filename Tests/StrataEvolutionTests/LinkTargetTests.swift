import StrataSchema
import Testing

extension SchemaDiffTests {
  @Test(
    "A link to a model whose name passes to another one needs a word, also where the linking model stays as it is",
    arguments: [
      // The objects' type keeps its name, which is that of other objects now.
      ("order: Order?", "order: Order?", "STR3702 Customer.order step open"),
      ("orders: [Order]", "orders: [Order]", "STR3702 Customer.orders step open"),
      ("orders: map<Order>", "orders: map<Order>", "STR3702 Customer.orders step open"),
      // The type follows the objects.
      ("order: Order?", "order: LegacyOrder?", nil),
      ("order: NewOrder?", "order: Order?", nil),
      ("friend: Customer?", "friend: Customer?", nil),
    ] as [(String, String, String?)])
  func passedName(old: String, new: String, expected: String?) throws {
    let found = try changes(
      models:
        "Customer: { properties: { \(old) } }\nOrder: { properties: { number: int } }\nNewOrder: { properties: { code: string } }",
      "Customer: { properties: { \(new) } }\nLegacyOrder: { properties: { number: int } }\nOrder: { properties: { code: string } }",
      step: "rename: { Order: LegacyOrder, NewOrder: Order }")
    #expect(
      found == [expected].compactMap(\.self)
        + ["STR3104 LegacyOrder automatic", "STR3104 Order automatic"])
  }

  @Test("What becomes of such a link is said by a block")
  func passedNameInBlock() throws {
    #expect(
      try changes(
        models:
          "A: { properties: { b: B? } }\nB: { properties: { x: int } }\nC: { properties: { y: string } }",
        "A: { properties: { b: B? } }\nB: { properties: { y: string } }\nC: { properties: { x: int } }",
        step: "rename: { B: C, C: B }\nswift: [A]")
        == ["STR3702 A.b step", "STR3104 B automatic", "STR3104 C automatic"])
  }
}
