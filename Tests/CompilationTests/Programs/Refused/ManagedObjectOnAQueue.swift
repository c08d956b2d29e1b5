import Dispatch
import GuideModels
import Strata

func watch(_ dogs: Results<Dog>, _ dog: Dog) throws -> NotificationToken {
  try dogs.observe(on: .global()) { _ in
    // The queue is another thread.
    // error: capture of 'dog' with non-Sendable type 'Dog'
    print(dog.name)
  }
}
