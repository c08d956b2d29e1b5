import Strata

extension ClubMigrations {
  /// A place of its own for each address; members who live together share it.
  static let toVersion4 = Step(to: 4) { step in
    var places: [String: V4.Place] = [:]
    for old in try step.objects(V3.Member.self) {
      let address = "\(old.street)\n\(old.town)"
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
