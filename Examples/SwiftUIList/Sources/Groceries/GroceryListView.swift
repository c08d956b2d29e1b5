#if canImport(SwiftUI)
  public import SwiftUI

  /// A list with two sections that follow the store.
  public struct GroceryListView: View {
    @State private var list: GroceryList
    @State private var name = ""
    @State private var problem: String?

    public init(_ list: GroceryList) { _list = State(initialValue: list) }

    public var body: some View {
      List {
        Section("To buy") {
          ForEach(list.open) { row($0) }
          TextField("Something new", text: $name)
            .onSubmit {
              trying { try list.add(name) }
              name = ""
            }
        }
        Section("Bought") { ForEach(list.bought) { row($0) } }
      }
      .toolbar { Button("Clear") { trying { try list.removeBought() } } }
      .alert(problem ?? "", isPresented: .constant(problem != nil)) {
        Button("OK") { problem = nil }
      }
    }

    private func row(_ item: Item) -> some View {
      Button {
        trying { try list.toggle(item) }
      } label: {
        Label(item.name, systemImage: item.isBought ? "checkmark.circle" : "circle")
      }
    }

    private func trying(_ body: () throws -> Void) {
      do { try body() } catch { problem = "\(error)" }
    }
  }
#endif
