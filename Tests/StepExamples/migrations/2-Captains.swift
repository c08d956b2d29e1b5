import Strata

extension ClubMigrations {
  /// A captain is a link and no number any more. A team whose captain is not there is given up.
  static let toVersion2 = Step(to: 2) { step in
    for new in try step.objects(V2.Team.self) {
      guard let old = try step.counterpart(of: new, as: V1.Team.self),
        let captain = try step.object(V2.Member.self, primaryKey: old.captainNumber)
      else {
        try step.delete(new)
        continue
      }
      new.captain = captain.link
    }
  }
}
