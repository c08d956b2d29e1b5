import StrataSchema
import StrataSource

extension Rule {
  static let enumCaseAdded = Rule(
    .enumCaseAdded, .warning, "Programs that are older meet a value that they have no case for.",
    help: { _ in "an unknown value is readable as such; look through switch statements" })
}
