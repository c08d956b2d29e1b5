import Catalogue
import Foundation
import Strata

/// Knows what is for sale. The store belongs to the actor: its objects never leave it.
actor Warehouse {
  private let store: Store

  init(path: String) async throws {
    store = try Store(configuration: Store.Configuration(path: path, schema: CatalogueSchema.self))
  }

  func offer(_ number: String, _ title: String, _ price: Decimal) throws {
    try store.write {
      try store.add(Article(number: number, title: title, price: price), update: .modified)
    }
  }

  /// - Returns: the pieces that are there now.
  func receive(_ number: String, _ pieces: Int) throws -> Int {
    let article = try article(number)
    try store.write { article.stock += pieces }
    return article.stock
  }

  /// Takes pieces out of stock.
  ///
  /// - Returns: the price of one.
  func take(_ number: String, _ pieces: Int) throws -> Decimal {
    let article = try article(number)
    guard article.has(pieces) else {
      throw Refusal(reason: "only \(article.stock) of \(number) left")
    }
    try store.write { article.stock -= pieces }
    return article.price
  }

  func pieces() -> Int { store.objects(Article.self).reduce(0) { $0 + $1.stock } }

  private func article(_ number: String) throws -> Article {
    guard let article = try store.object(ofType: Article.self, forPrimaryKey: number) else {
      throw Refusal(reason: "there is no \(number)")
    }
    return article
  }
}
