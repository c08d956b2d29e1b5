import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    let first: V1? = nil
    try step.each(V0.Person.self, V1.Person.self) { old, new in
      new.region = first == nil ? 1 : 2
    }
  }
}
