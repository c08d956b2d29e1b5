import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let nameLimit = Rule(
    "STR3904", "name-limit", .error, .never,
    "A name is too long or belongs to the database, or a model has too many properties.", .elsewhere
  )
}
