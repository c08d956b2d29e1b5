import Strata

extension PeopleMigrations {
  /// Numbers people as they come, and in which order they come is promised nowhere.
  static let toVersion1 = Step(to: 1) { step in
    var count = 0
    try step.each(V0.Person.self, V1.Person.self) { old, new in
      count += 1
      new.number = count
    }
  }
}
