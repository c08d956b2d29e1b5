import Strata

extension ClubMigrations {
  /// A place of its own for each address; members who live together share it.
  static let toVersion4 = Step(to: 4) { step in
    // By its bytes: two spellings of an accent are equal texts, and the order would say which one is kept.
    var places: [[UInt8]: V4.Place] = [:]
    for old in try step.objects(V3.Member.self) {
      let address = Array("\(old.street)\n\(old.town)".utf8)
      let place =
        try places[address]
        ?? step.create(V4.Place.self) { place in
          place.street = old.street
          place.town = old.town
        }
      places[address] = place
      try step.counterpart(of: old, as: V4.Member.self)?.place = place.link
    }
  }
}
