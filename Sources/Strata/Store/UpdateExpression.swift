/// A value of `Store.update(_:set:where:_:returning:)` that is computed for each object, in the language of conditions: its own
/// properties, arithmetic, string functions, what links lead to, aggregates and sub-queries.
///
/// ```swift
/// try store.update(Person.self, set: ["age": UpdateExpression("age + %@", 1)])
/// ```
public struct UpdateExpression {
  let text: String
  let arguments: [Any?]

  /// - Parameters:
  ///   - text: an expression over the object as it was: `age + 1`.
  ///   - arguments: for `%@` by turn and `$0` by number.
  public init(_ text: String, _ arguments: Any?...) {
    self.text = text
    self.arguments = arguments
  }
}

/// What an update of many objects answers.
public struct UpdateAnswer<Element: Object, Answer> {
  /// Whether the identities are needed; without, none are collected.
  let wantsRows: Bool
  let answer: (UpdatedObjects, Store, String) -> Answer
}

extension UpdateAnswer where Answer == Bool {
  /// Whether any object was updated.
  public static var status: UpdateAnswer {
    UpdateAnswer(wantsRows: false) { updated, _, _ in updated.count > 0 }
  }
}

extension UpdateAnswer where Answer == Int {
  /// How many objects were updated.
  public static var count: UpdateAnswer {
    UpdateAnswer(wantsRows: false) { updated, _, _ in updated.count }
  }
}

extension UpdateAnswer where Answer == [ObjectReference<Element>] {
  /// Which objects were updated.
  public static var identifiers: UpdateAnswer {
    UpdateAnswer(wantsRows: true) { updated, store, model in
      updated.rows.map { ObjectReference(in: store, model: model, row: $0) }
    }
  }
}
