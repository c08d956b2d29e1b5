import GuideModels
import Strata

func count(_ store: Store) {
  // A store belongs to the task that opened it.
  // error: risks causing data races
  Task.detached { _ = store.objects(Dog.self).count }
}
