import GuideModels
import Strata

actor Kennel {
  var dogs: [Dog] = []
  func take(_ dog: sending Dog) { dogs.append(dog) }
}

func handOver(to kennel: Kennel) async {
  let dog = Dog(name: "Rex")
  // The dog is used after it was handed over.
  // error: risks causing data races
  await kennel.take(dog)
  dog.name = "Fido"
}
