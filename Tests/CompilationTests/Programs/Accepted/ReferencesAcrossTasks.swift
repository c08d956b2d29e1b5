import GuideModels
import Strata

func rename(_ dog: Dog, at path: String) throws {
  let reference = try ObjectReference(to: dog)
  Task.detached {
    let store = try Store(path: path)
    guard let dog = store.resolve(reference) else { return }
    try store.write { dog.name = "Fido" }
  }
  print(dog.name, reference)
}
