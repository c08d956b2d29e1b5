import StrataExpression
import StrataSchema

/// The arguments of a condition as the expression language knows them.
///
/// Values of stored types, objects and nil are themselves; arrays, sets, results and every other sequence of them are lists for
/// `IN`, and ranges the bounds for `BETWEEN`. What no property can hold is an error that names the argument.
struct QueryArguments {
  /// How many elements a list may have.
  static let maximumElements = 10_000_000

  private let text: String

  /// - Throws: `StoreError.invalidQuery`
  static func read(
    _ given: [Any?], for text: String
  ) throws(StoreError) -> [FormatArgument] {
    let reader = QueryArguments(text: text)
    var arguments: [FormatArgument] = []
    for (index, value) in given.enumerated() {
      arguments.append(try reader.argument(value, "argument \(index + 1)"))
    }
    return arguments
  }

  private func argument(_ given: Any?, _ name: String) throws(StoreError) -> FormatArgument {
    guard let value = UnwrappedValue.unwrap(given) else { return .value(.null) }
    if let range = value as? any OpenRange {
      throw error(
        "\(name) is a \(type(of: value)), which has one end: write a comparison, such as "
          + "'age \(range.comparison) %@', and give \(range.givenEnd)")
    }
    if let range = value as? any GivenRange {
      return try bounds(range.givenBounds, "\(type(of: value))", name)
    }
    if let stored = UnwrappedValue.storedValue(value) { return .value(stored) }
    if value is any GivenMapping || value as? [AnyHashable: Any] != nil {
      throw error("\(name) is a dictionary: give its keys or its values")
    }
    guard let elements = try elements(value, name) else { throw notStored(value, name) }
    var values: [Value] = []
    for (index, element) in elements.enumerated() {
      values.append(try self.value(element, "element \(index + 1) of \(name)"))
    }
    let core = (value as? any CollectionFace)?.anyCore
    if value is any GivenUnordered || core != nil && !(core is ListCore) {
      // The bounds of BETWEEN may be given as a set.
      values.sort { Comparison.of($0, $1) == .before }
    }
    return .list(values)
  }

  private func value(_ given: Any?, _ name: String) throws(StoreError) -> Value {
    guard let value = UnwrappedValue.storedValue(given) else {
      throw notStored(UnwrappedValue.unwrap(given) ?? "nil", name)
    }
    return value
  }

  /// Nil for what is no sequence.
  private func elements(_ value: Any, _ name: String) throws(StoreError) -> [Any?]? {
    if let core = (value as? any CollectionFace)?.anyCore { return core.anyElements.map(\.value) }
    guard let sequence = value as? any Sequence else { return value as? [Any] }
    guard let elements = sequence.elements(atMost: Self.maximumElements) else {
      throw error("\(name) has more than \(Self.maximumElements) elements")
    }
    return elements
  }

  /// What BETWEEN includes on both sides.
  private func bounds(
    _ bounds: GivenBounds, _ type: String, _ name: String
  ) throws(StoreError) -> FormatArgument {
    let lower = try value(bounds.lower, "the lower bound of \(name)")
    let upper = try value(bounds.upper, "the upper bound of \(name)")
    if bounds.includesUpper { return .range(lower, upper) }
    guard case .int(let first) = lower, case .int(let end) = upper else {
      throw error(
        "\(name) is a \(type), which leaves its upper bound out, and BETWEEN includes it: give a "
          + "ClosedRange, or write two comparisons")
    }
    // Of nothing, if it is empty.
    return first < end ? .range(lower, .int(end - 1)) : .range(.int(1), .int(0))
  }

  // MARK: - Errors

  private func error(_ problem: String) -> StoreError {
    .wrongQuery(text, problem)
  }

  private func notStored(_ value: Any, _ name: String) -> StoreError {
    let shown = GivenValue(value).shownText ?? "nil"
    if value is any BinaryInteger {
      return error("\(name) is \(shown), which does not fit into an int")
    }
    return error(
      "\(name) is a \(type(of: value)) (\(shown)), and no property holds such a value: give a bool, a number, "
        + "a string, data, a date, a UUID, a decimal, an ObjectID, an object, nil, or an array of these"
    )
  }
}

/// The ends of a range.
struct GivenBounds {
  let lower: Any
  let upper: Any
  let includesUpper: Bool
}

/// What ranges of all types are.
protocol GivenRange {
  var givenBounds: GivenBounds { get }
}

extension ClosedRange: GivenRange {
  var givenBounds: GivenBounds {
    GivenBounds(lower: lowerBound, upper: upperBound, includesUpper: true)
  }
}

extension Range: GivenRange {
  var givenBounds: GivenBounds {
    GivenBounds(lower: lowerBound, upper: upperBound, includesUpper: false)
  }
}

/// A range without its other end, which is neither a list nor the bounds of BETWEEN.
private protocol OpenRange {
  var comparison: String { get }
  var givenEnd: String { get }
}

extension PartialRangeFrom: OpenRange {
  var comparison: String { ">=" }
  var givenEnd: String { "its lower bound" }
}

extension PartialRangeThrough: OpenRange {
  var comparison: String { "<=" }
  var givenEnd: String { "its upper bound" }
}

extension PartialRangeUpTo: OpenRange {
  var comparison: String { "<" }
  var givenEnd: String { "its upper bound" }
}

/// What dictionaries of all types are.
private protocol GivenMapping {}
extension Dictionary: GivenMapping {}

/// What has no order of its own.
private protocol GivenUnordered {}
extension Set: GivenUnordered {}

extension Sequence {
  /// Nil when there are more.
  fileprivate func elements(atMost maximum: Int) -> [Any?]? {
    var elements: [Any?] = []
    for element in self {
      if elements.count == maximum { return nil }
      elements.append(element)
    }
    return elements
  }
}
