import StrataSource

extension Rule {
  static let slowBlock = Rule(
    "STR3953", "slow-block", .warning, .advice,
    "A Swift block runs once an object on a model of very many objects.", .elsewhere)
}
