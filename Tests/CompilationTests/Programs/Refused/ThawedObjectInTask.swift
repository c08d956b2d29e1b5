import GuideModels
import Strata

func rename(_ dog: Dog, in store: Store) {
  guard let thawed = dog.freeze().thaw(in: store) else { return }
  // A thawed object is a live one.
  // error: risks causing data races
  Task.detached { thawed.name = "Fido" }
}
