import Foundation
public import Observation
public import Strata

/// What the view shows and does, without the view.
@MainActor @Observable
public final class GroceryList {
  @ObservationIgnored private let store: Store
  /// Live: reading it in a view or a tracked function follows it.
  public let open: Results<Item>
  public let bought: Results<Item>

  /// - Throws: `StoreError`
  public init(path: String) throws {
    store = try Store(path: path, schema: GroceriesSchema.self)
    open = store.objects(Item.self).where { $0.isBought == false }.sorted(by: \.name)
    bought = store.objects(Item.self).where { $0.isBought == true }.sorted(by: \.name)
  }

  public func add(_ name: String) throws {
    try store.write { try store.add(Item(id: UUID(), name: name)) }
  }

  public func toggle(_ item: Item) throws { try store.write { item.isBought.toggle() } }

  public func removeBought() throws { _ = try store.write { try store.delete(bought) } }
}
