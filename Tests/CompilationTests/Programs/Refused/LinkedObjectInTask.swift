import GuideModels
import Strata

func show(_ dogs: List<Dog>) {
  // What a list holds is managed as the list is.
  // error: risks causing data races
  Task.detached { print(dogs[0].name) }
}
