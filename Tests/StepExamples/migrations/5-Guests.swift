import Strata

extension ClubMigrations {
  /// Guests are persons, too, without a number; their visits follow them.
  static let toVersion5 = Step(to: 5) { step in
    var persons: [FrozenLink<V4.Guest>: V5.Person] = [:]
    for guest in try step.objects(V4.Guest.self) {
      persons[guest.link] = try step.create(V5.Person.self) { person in
        person.id = step.uuid(for: guest)
        person.name = guest.name
      }
    }
    for old in try step.objects(V4.Visit.self) {
      guard let guest = old.guest else { continue }
      try step.counterpart(of: old, as: V5.Visit.self)?.person = persons[guest]?.link
    }
  }
}
