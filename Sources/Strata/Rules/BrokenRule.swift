/// An object that breaks a rule of its model.
public struct BrokenRule: Hashable, Sendable {
  /// The object's model.
  public let model: String
  /// The rule's name.
  public let rule: String
  /// The sentence for people that the schema gives the rule.
  public let sentence: String?
  /// The condition that does not hold.
  public let condition: String
  /// The object's identity, its `_row`. That of an object that was added is not used again.
  public let identity: Int64
  /// The values of the object's primary key as they are written in conditions; nil where the model has none.
  public let primaryKey: String?
  /// Why the condition has no value for the object, such as a division by zero; nil where it is false.
  public let problem: String?

  package init(
    model: String, rule: String, sentence: String?, condition: String, identity: Int64,
    primaryKey: String?, problem: String?
  ) {
    self.model = model
    self.rule = rule
    self.sentence = sentence
    self.condition = condition
    self.identity = identity
    self.primaryKey = primaryKey
    self.problem = problem
  }
}

extension BrokenRule: CustomStringConvertible {
  /// `Person 7 (id 42)`.
  var object: String { "\(model) \(identity)" + (primaryKey.map { " (\($0))" } ?? "") }

  public var description: String {
    "\(object) breaks the rule \(model).\(rule)" + (sentence.map { ": \($0)" } ?? "")
      + (problem.map { " (\(condition) has no value: \($0))" } ?? " (\(condition))")
  }
}
