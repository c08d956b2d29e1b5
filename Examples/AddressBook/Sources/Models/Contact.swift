import Strata

/// What a contact can do beyond holding data stands beside the generated class.
extension Contact {
  /// The name as it is sorted: last name first.
  public var sortName: String {
    let words = name.split(separator: " ")
    guard words.count > 1, let last = words.last else { return name }
    return "\(last), \(words.dropLast().joined(separator: " "))"
  }

  /// One line for a list.
  public var summary: String {
    let numbers = phones.map { "\($0.label) \($0.number)" }.joined(separator: ", ")
    return numbers.isEmpty ? sortName : "\(sortName): \(numbers)"
  }
}
