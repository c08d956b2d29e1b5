import Foundation
import Groceries
import Observation

// What SwiftUI does with the list, without SwiftUI: reads it in a tracked function, and again after each change.

/// Prints the list; the next change wakes the stream.
@MainActor func show(_ list: GroceryList, _ changed: AsyncStream<Void>.Continuation) {
  withObservationTracking {
    print("to buy: \(list.open.map(\.name)), bought: \(list.bought.map(\.name))")
  } onChange: {
    changed.yield()
  }
}

do {
  let list = try GroceryList(path: CommandLine.arguments.dropFirst().first ?? "groceries.db")
  let (changes, changed) = AsyncStream.makeStream(of: Void.self)
  var next = changes.makeAsyncIterator()
  show(list, changed)
  for name in ["Pears", "Bread"] {
    try list.add(name)
    await next.next()
    show(list, changed)
  }
  if let first = list.open.first { try list.toggle(first) }
  await next.next()
  show(list, changed)
  try list.removeBought()
  await next.next()
  show(list, changed)
} catch {
  print("error: \(error)")
  exit(1)
}
