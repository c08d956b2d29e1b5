import GuideModels
import Strata

func rename(_ dog: Dog) {
  // A managed object belongs to the task that read it.
  // error: risks causing data races
  Task.detached { dog.name = "Fido" }
}
