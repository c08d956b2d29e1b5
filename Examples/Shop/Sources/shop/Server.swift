import Foundation

/// Answers requests with the help of two actors, each of which owns one store.
struct Server: Sendable {
  let warehouse: Warehouse
  let office: Office

  init(folder: URL) async throws {
    warehouse = try await Warehouse(path: folder.appendingPathComponent("catalogue.db").path)
    office = try await Office(path: folder.appendingPathComponent("orders.db").path)
  }

  /// Answers side by side, and prints the answers in the order of the requests.
  func answerAll(_ requests: [Request]) async {
    let answers = await withTaskGroup(of: (Int, String).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, await answer(request)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in requests.indices { print(answers[index] ?? "") }
  }

  func answer(_ request: Request) async -> String {
    do {
      switch request {
      case .article(let number, let title, let price):
        try await warehouse.offer(number, title, price)
        return "200 \(number) is for sale"
      case .stock(let number, let pieces):
        let stock = try await warehouse.receive(number, pieces)
        return "200 \(stock) of \(number) in stock"
      case .order(let customer, let number, let pieces):
        let price = try await warehouse.take(number, pieces)
        let total = try await office.place(for: customer, number, pieces, price)
        return "200 \(customer) pays \(total)"
      case .report:
        let (orders, total) = await office.turnover()
        return "200 \(orders) orders, \(total) in all, \(await warehouse.pieces()) pieces left"
      }
    } catch let refusal as Refusal {
      return "409 \(refusal.reason)"
    } catch {
      return "500 \(error)"
    }
  }
}

/// Why a request cannot be met.
struct Refusal: Error {
  let reason: String
}
