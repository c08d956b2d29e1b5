import GuideModels
import Strata

func show(_ dog: Dog) {
  let frozen = dog.freeze()
  // One frozen object is one task's; another task freezes again, or gets it handed over.
  // error: risks causing data races
  Task.detached { print(frozen.name) }
  print(frozen.name)
}
