import GuideModels
import Strata

actor Kennel {
  private let store: Store
  init(path: String) throws { store = try Store(path: path, schema: GuideSchema.self) }
  func count() -> Int { store.objects(Dog.self).count }
}
