import GuideModels
import Strata

func show(_ dog: Dog, _ dogs: Results<Dog>, _ person: Person, _ store: Store) {
  let frozenDog = dog.freeze()
  let frozenDogs = dogs.freeze()
  let frozenList = person.dogs.freeze()
  let frozenStore = store.freeze()
  Task.detached { print(frozenDog.name) }
  Task.detached { print(frozenDogs.count) }
  Task.detached { for dog in frozenList { print(dog.name) } }
  Task.detached { print(frozenStore.objects(Dog.self).count) }
  print(dog.name, dogs.count, person.dogs.count, store.isFrozen)
}

@MainActor func hand(_ dog: Dog, to kennel: Kennel) async {
  await kennel.take(dog.freeze())
  print(dog.name)
}

actor Kennel {
  var dogs: [Dog] = []
  func take(_ dog: sending Dog) { dogs.append(dog) }
}
