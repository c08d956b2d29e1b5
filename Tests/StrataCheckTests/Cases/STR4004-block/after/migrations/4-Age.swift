import Strata

extension PeopleMigrations {
  static let toVersion4 = Step(to: 4) { step in
    try step.each(V2.Person.self, V4.Person.self) { old, new in
      new.age = old.name.utf8.count
    }
  }
}
