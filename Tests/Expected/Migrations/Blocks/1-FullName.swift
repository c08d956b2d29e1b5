import Foundation
import Strata

extension PeopleMigrations {
  /// The block that the expected chain names. It touches every kind of property that frozen types have.
  static let toVersion1 = Step(to: 1) { step in
    try step.each(V0.Person.self, V1.Person.self) { old, new in
      new.fullName = "\(old.firstName) \(old.lastName)"
      new.age = old.mood + old.tags.count + old.marks.dictionary.count
      new.email = old.born.map { "\($0.timeIntervalSinceReferenceDate)" }
      new.boss = try old.boss.flatMap { try step.object($0) }.flatMap {
        try step.counterpart(of: $0, as: V1.Person.self)?.link
      }
      for cat in old.cats {
        guard let dog = try step.object(cat) else { continue }
        try step.counterpart(of: dog, as: V1.Dog.self).map { new.dogs.append($0.link) }
      }
    }
  }
}
