import GuideModels
import Strata

func names(in store: Store) async -> Int {
  let names = store.objects(Dog.self).map(\.name)
  return await Task.detached { names.count }.value
}
