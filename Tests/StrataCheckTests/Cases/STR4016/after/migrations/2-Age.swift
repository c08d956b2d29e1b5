import Strata

extension PeopleMigrations {
  static let toVersion2 = Step(to: 2) { step in
    try step.each(V1.Person.self, V2.Person.self) { old, new in
      new.age = old.name.utf8.count
    }
  }
}
