import Foundation
import Orders
import Strata

/// Keeps the orders.
actor Office {
  private let store: Store

  init(path: String) async throws {
    store = try Store(configuration: Store.Configuration(path: path, schema: OrdersSchema.self))
  }

  /// - Returns: what the customer pays.
  func place(
    for customer: String, _ number: String, _ pieces: Int, _ price: Decimal
  ) throws -> Decimal {
    try store.write {
      let order = Order(
        customer: customer, lines: [OrderLine(article: number, pieces: pieces, price: price)])
      try store.add(order)
      return order.total
    }
  }

  func turnover() -> (orders: Int, total: Decimal) {
    let orders = store.objects(Order.self)
    return (orders.count, orders.reduce(0) { $0 + $1.total })
  }
}
