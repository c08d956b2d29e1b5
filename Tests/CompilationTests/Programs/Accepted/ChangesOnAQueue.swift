import Dispatch
import GuideModels
import Strata

func watch(_ dogs: Results<Dog>, _ dog: Dog, at path: String) throws -> [NotificationToken] {
  [
    try dogs.observe(on: .global()) { change in
      guard case .update(let reference, _, let insertions, _, _) = change else { return }
      Task.detached {
        let store = try Store(path: path)
        print(store.resolve(reference)?.count ?? 0, insertions)
      }
    },
    try dog.observe(on: .global()) { change in
      if case .change(let reference, let properties) = change {
        Task.detached { print(reference, properties.map(\.name)) }
      }
    },
  ]
}
