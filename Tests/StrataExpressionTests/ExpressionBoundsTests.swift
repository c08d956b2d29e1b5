import StrataSchema
import Testing

@testable import StrataExpression

/// What a tree that was not parsed may hold is what a text may hold, and more tests.
@Suite struct ExpressionBoundsTests {
  @Test(arguments: [
    "a AND b OR c AND d", "NOT NOT NOT a", "a + b * c - (d + e) > 1", "a ?? b ?? c == 1",
    "a.b.c.d[0].e == 1", "a IN {1, 2, 3} AND b BETWEEN {1, 2}",
    "SUBQUERY(dogs, $d, $d.age > 3 AND $d.name == 'x').@count > 1", "if(a > 1, b, c) == 1",
  ])
  func whatWasParsedIsWithin(text: String) throws {
    try Expression.parse(text, for: .query).checkBounds()
  }

  @Test(arguments: [("a + ", 990), ("(a == 1) OR ", 490), ("-(", 60), ("NOT (", 31), ("f ?? ", 30)])
  func whatIsLargeAndWasParsedIsWithin(part: String, count: Int) throws {
    let closing = part.hasSuffix("(") ? String(repeating: ")", count: count) : ""
    let text = String(repeating: part, count: count) + "a == 1" + closing
    guard let expression = try? Expression.parse(text, for: .query) else { return }
    try expression.checkBounds()
  }

  @Test func whatIsTooLargeIsRefusedAndTakenApart() throws {
    var row = Expression(.object(.subject))
    for _ in 0..<100_000 { row = Expression(.binary(.or, row, Expression(.object(.subject)))) }
    let error = #expect(throws: ExpressionError.self) { try row.checkBounds() }
    Expression.dismantle(&row)

    #expect(error?.message == "more than 4000 comparisons, ANDs and ORs in one condition")
    #expect(row == Expression(.literal(.null)))
  }

  @Test(arguments: [63, 64])
  func brackets(count: Int) throws {
    var nested = Expression(.object(.subject))
    for _ in 0..<count { nested = Expression(.unary(.not, nested)) }

    #expect(((try? nested.checkBounds()) == nil) == (count > 63))
  }
}
