import GuideModels
import Strata

func find(in store: Store) -> Results<Dog> {
  // error: has no dynamic member 'nick'
  store.objects(Dog.self).where { $0.nick == "Rex" }
}
