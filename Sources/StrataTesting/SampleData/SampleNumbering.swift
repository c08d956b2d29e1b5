import Strata
import StrataSchema

/// How many sample objects each model has, and which of their values keep unique keys distinct.
///
/// Object `i` of a model has, for a property of few possible values that stands in a unique key, the value number
/// `(i / stride) % size`: the properties of a key are the digits of `i`. A property of many values has value number `i`, and
/// makes every key distinct that it stands in. Where all combinations are used up, an optional property of the key is nil,
/// because nulls differ from each other; without one there are no more objects of the model.
struct SampleNumbering {
  /// One digit of an object's number.
  struct Digit: Equatable {
    var stride = 1
    let size: Int
    /// From this object on the property is nil.
    var nilFrom = Int.max

    /// The number of the value of an object; nil for a null.
    func number(of object: Int) -> Int? {
      object >= nilFrom ? nil : object / stride % size
    }
  }

  /// Objects of each model that is not embedded, and how many an embedded one may have at most.
  private(set) var counts: [String: Int] = [:]
  private var digits: [String: [String: Digit]] = [:]

  /// - Parameter objects: objects of each model that is not embedded, where its unique keys allow that many.
  init(schema: Schema, objects: Int) {
    for model in schema.storedModels { counts[model.name] = model.isEmbedded ? .max : objects }
    // Fewer objects of a model leave fewer for those that link to it. Required links form no cycle, so that each round
    // settles one more model at least.
    for _ in 0...schema.storedModels.count {
      let before = counts
      for model in schema.storedModels { number(model, in: schema) }
      if counts == before { break }
    }
  }

  /// Nil where the property takes any value.
  func digit(of property: Property, in model: Model) -> Digit? {
    digits[model.name]?[property.name]
  }

  private mutating func number(_ model: Model, in schema: Schema) {
    // Keys that overlap can leave the digits of one no room; values that only count up tell fewer objects apart, and always some.
    let digits = [true, false].map { numbers(of: model, in: schema, areDigits: $0) }
    guard let best = digits.max(by: { $0.count < $1.count }) else { return }
    self.digits[model.name] = best.digits
    counts[model.name] = best.count
  }

  private func numbers(
    of model: Model, in schema: Schema, areDigits: Bool
  ) -> (digits: [String: Digit], count: Int) {
    var found: [String: Digit] = [:]
    var count = counts[model.name] ?? 0
    for key in model.uniqueKeys {
      let properties = key.compactMap(model.property(named:))
      let sizes = properties.map { size(of: $0, in: schema) }
      if sizes.contains(nil) { continue }
      var reach = 1
      for (property, size) in zip(properties, sizes) where found[property.name] == nil {
        // What other keys gave a digit already comes in where it fits.
        reach = Self.reach(properties.compactMap { found[$0.name] }, from: reach)
        guard let size, reach < count else { continue }
        found[property.name] = Digit(stride: areDigits ? reach : 1, size: max(1, size))
      }
      reach = Self.reach(properties.compactMap { found[$0.name] }, from: 1)
      guard reach < count else { continue }
      // Of a primary key one null is allowed.
      let optional = properties.first {
        $0.type.valueType?.isOptional == true && !model.primaryKey.contains($0.name)
      }
      if let optional, let digit = found[optional.name] {
        found[optional.name]?.nilFrom = min(digit.nilFrom, reach)
      } else {
        count = reach
      }
    }
    return (found, count)
  }

  /// How many objects these digits tell apart.
  private static func reach(_ digits: [Digit], from start: Int) -> Int {
    var reach = start
    for digit in digits.sorted(by: { $0.stride < $1.stride })
    where digit.stride <= reach && reach % digit.stride == 0 {
      let (product, overflows) = digit.stride.multipliedReportingOverflow(by: digit.size)
      reach = overflows ? .max : max(reach, product)
    }
    return reach
  }

  /// How many values a property can have; nil where there are more than there are objects.
  func size(of property: Property, in schema: Schema) -> Int? {
    guard let type = property.type.valueType else { return nil }
    switch type.base {
    case .scalar(.bool): return 2
    case .scalar(let scalar): return scalar.integerRange.flatMap { $0.count(upTo: 1 << 32) }
    case .enumeration(let name): return schema.enumeration(named: name)?.cases.count ?? 1
    case .object(let target): return counts[target]
    }
  }
}

extension ClosedRange<Int64> {
  /// The number of values; nil where there are as many as the bound or more.
  fileprivate func count(upTo bound: Int64) -> Int? {
    let (difference, overflows) = upperBound.subtractingReportingOverflow(lowerBound)
    return overflows || difference >= bound - 1 ? nil : Int(difference) + 1
  }
}
