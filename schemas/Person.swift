import Strata

/// Behaviour stands beside the generated class, in an extension of it: generation never touches this file.
extension Person {
  /// Whether the person may sign contracts.
  public var isAdult: Bool { age >= 18 }

  /// How to address the person among friends.
  public var greeting: String { "Hello \(nickname ?? fullName)!" }
}
