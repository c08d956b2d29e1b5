import StrataSource

extension Rule {
  static let lockFileInvalid = Rule(
    "STR4002", "lock-file-invalid", .error, .never,
    "The lock is missing, damaged, out of order, or of a newer tool.", .elsewhere)
}
