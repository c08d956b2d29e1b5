import BenchmarkModels
import Observation
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What many observers of single objects and their lists add to a commit that concerns one of them.
struct Crowd {
  static let kinds = ["objects", "lists of objects", "tracked objects"]

  let folder: URL

  /// - Returns: the milliseconds of a commit that changes one of so many observed objects; of ``Delivery/runs`` commits the median.
  func commit(_ kind: String, observed count: Int) throws -> Double {
    let file = folder.appendingPathComponent("\(kind) \(count).db")
    let store = try Store(path: file.path, schema: BenchSchema.self)
    defer { store.close() }
    let people = (0..<max(count, Delivery.runs)).map { number in
      Person(id: number, name: "p\(number)", age: number % 100, score: 0)
    }
    try store.write { try store.add(people) }
    var tokens: [NotificationToken] = []
    for person in people.prefix(count) {
      switch kind {
      case "objects": tokens.append(try person.observe { _ in })
      case "lists of objects": tokens.append(try person.dogs.observe { _ in })
      default:
        withObservationTracking {
          _ = person.age
        } onChange: {
        }
      }
    }
    let clock = ContinuousClock()
    var times: [Double] = []
    for person in people.prefix(Delivery.runs) {
      try store.beginWrite()
      person.age += 1
      let start = clock.now
      try store.commitWrite()
      times.append((clock.now - start).milliseconds)
    }
    for token in tokens { token.invalidate() }
    return times.median
  }
}
