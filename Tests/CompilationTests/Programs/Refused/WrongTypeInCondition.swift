import GuideModels
import Strata

func find(in store: Store) -> Results<Dog> {
  // A number is no name.
  // error: cannot be applied to operands
  store.objects(Dog.self).where { $0.name == 3 }
}
