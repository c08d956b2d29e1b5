import GuideModels
import Strata

actor Counter {
  func count(_ dogs: Results<Dog>) -> Int { dogs.count }
}

func count(_ dogs: Results<Dog>, with counter: Counter) async -> Int {
  // Results belong to the task of their store.
  // error: risks causing data races
  await counter.count(dogs)
}
