import Strata

extension ClubMigrations {
  /// A place belongs to one person now: each of several who share one gets a copy. A place without a person goes away.
  static let toVersion6 = Step(to: 6) { step in
    var owners: [FrozenLink<V5.Place>: Int] = [:]
    for person in try step.objects(V5.Person.self) {
      if let place = person.place { owners[place, default: 0] += 1 }
    }
    for old in try step.objects(V5.Person.self) {
      guard let link = old.place, owners[link] != 1, let place = try step.object(link) else {
        continue
      }
      let copy = try step.create(V6.Place.self) { copy in
        copy.street = place.street
        copy.town = place.town
      }
      try step.counterpart(of: old, as: V6.Person.self)?.place = copy.link
    }
  }
}
