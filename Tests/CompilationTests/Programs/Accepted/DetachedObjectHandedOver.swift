import GuideModels
import Strata

actor Kennel {
  var dogs: [Dog] = []
  func take(_ dog: sending Dog) { dogs.append(dog) }
}

func handOver(to kennel: Kennel) async {
  let dog = Dog(name: "Rex")
  await kennel.take(dog)
}
