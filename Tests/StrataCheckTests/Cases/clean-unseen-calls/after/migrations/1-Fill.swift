import Shared
import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    try step.each(V0.Passed.self, V1.Passed.self, fill)
  }
}
