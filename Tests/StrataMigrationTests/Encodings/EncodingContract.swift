import StrataSchema

/// How values of one type belong to those of another, as people read it in docs/encodings.md: written here by hand, and
/// not asked of the engine.
enum EncodingContract {
  enum Relation: Character {
    case same = "="
    /// Automatic: each value is a value of the other type.
    case widened = "w"
    /// Each value has a text of its own: carried over, but `check` asks for a step.
    case spelled = "s"
    /// A function that has a value for each value.
    case total = "f"
    /// A function that gives nil for some.
    case partial = "p"
    case unrelated = "."
  }

  /// The columns of `rows`.
  static let types: [ScalarType] = [
    .bool, .int, .int8, .int16, .int32, .int64, .float, .double, .decimal, .string, .data, .date,
    .uuid, .objectID, .any,
  ]

  private static let rows = [
    "= f f f f f f f f s . . . . w",
    "f = p p p w f f w s . f . . w",
    "f w = w w w w w w s . f . . w",
    "f w p = w w w w w s . f . . w",
    "f w p p = w f w w s . f . . w",
    "f w p p p = f f w s . f . . w",
    "p p p p p p = w p f . f . . w",
    "p p p p p p f = p f . f . . w",
    "p p p p p p f f = s . f . . w",
    "p p p p p p p p p = f p p p w",
    ". . . . . . . . . p = . p p w",
    ". . . . . . f f . f . = . . w",
    ". . . . . . . . . s f . = . w",
    ". . . . . . . . . s f . . = w",
    "p p p p p p p p p p p p p p =",
  ]

  static func relation(_ from: ScalarType, _ to: ScalarType) -> Relation {
    guard let row = types.firstIndex(of: from), let column = types.firstIndex(of: to) else {
      return .unrelated
    }
    let symbols = rows[row].split(separator: " ")
    return symbols[column].first.flatMap(Relation.init) ?? .unrelated
  }

  /// Whether a property that continues keeps its values without a word.
  static func isCarriedOver(_ from: ScalarType, _ to: ScalarType) -> Bool {
    [.same, .widened, .spelled].contains(relation(from, to))
  }

  /// Whether a step may say `to(old.value)`.
  static func hasFunction(_ from: ScalarType, _ to: ScalarType) -> Bool {
    to != .any && relation(from, to) != .unrelated
  }

  /// Whether a cell stays what it is, byte for byte.
  static func sharesCells(_ from: ScalarType, _ to: ScalarType) -> Bool {
    let whole: [ScalarType] = [.int, .int8, .int16, .int32, .int64]
    if from == to || from == .string && to == .any { return true }
    return whole.contains(from) && (to == .any || whole.contains(to))
      && relation(from, to) == .widened
  }

  /// Whether both are declared as the same column, so that nothing but a name changes in the file.
  static func isSameColumn(_ from: ScalarType, _ to: ScalarType) -> Bool {
    sharesCells(from, to) && (from == to || to != .any)
  }
}
