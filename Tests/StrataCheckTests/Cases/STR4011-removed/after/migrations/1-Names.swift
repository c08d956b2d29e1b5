import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    try step.each(V0.Person.self, V1.Person.self) { old, new in }
    try step.each(V0.Dog.self, V1.Dog.self) { old, new in
      new.name = old.tag ?? old.name
    }
  }
}
