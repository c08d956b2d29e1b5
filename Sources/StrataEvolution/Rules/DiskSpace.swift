import StrataSource

extension Rule {
  static let diskSpace = Rule(
    "STR3952", "disk-space", .warning, .advice,
    "Upgrading a sample file needs more disk than there is.", .elsewhere)
}
