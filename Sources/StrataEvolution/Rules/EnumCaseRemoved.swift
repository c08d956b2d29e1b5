import StrataSchema
import StrataSource

extension Rule {
  static let enumCaseRemoved = Rule(
    .enumCaseRemoved, .error, "A stored value has no case any more.",
    help: {
      "map it in the step, for each property of type \($0.model): 'set: { …: { …: if(old.… == …, …, old.…) } }'"
    })
}
