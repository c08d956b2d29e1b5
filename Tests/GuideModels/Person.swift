extension Person {
  /// The dogs of one colour.
  public func dogs(colored color: String) -> [Dog] { dogs.filter { $0.color == color } }
}
