import Strata

extension ClubMigrations {
  /// Members are known by a UUID. Links follow identity, so that nothing else changes.
  static let toVersion3 = Step(to: 3) { step in
    try step.each(V2.Member.self, V3.Member.self) { old, new in
      new.id = step.uuid(for: old)
    }
  }
}
