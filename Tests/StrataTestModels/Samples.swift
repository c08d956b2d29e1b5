import Strata

extension Person {
  /// The three people that many tests begin with.
  public static func samples() -> [Person] {
    [
      Person(id: 1, name: "Ada", age: 36), Person(id: 2, name: "Grace", age: 85),
      Person(id: 3, name: "Alan", age: 41),
    ]
  }
}
