import Shared
import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    try fillEverything(step)
  }
}
