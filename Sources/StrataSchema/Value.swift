/// One stored value, without a model and without Foundation: what defaults, literals of expressions and
/// cells of a row hold.
///
/// Equality and hashing are of bits: a NaN equals the same NaN, −0.0 differs from 0.0. How values
/// *compare* in expressions is said by `StrataExpression`.
package enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since 2001-01-01 00:00:00 UTC, what a Foundation `Date` holds.
  case date(Double)
  case uuid(UUIDValue)
  case decimal(DecimalValue)
  case objectID(ObjectIDValue)
  /// A link to the object with this identity; the property says of which model.
  case link(Int64)
  /// A link in a property of type `any`, which has to say the model.
  indirect case object(model: String, identity: Int64)
}

extension Value {
  /// Whether this is the absence of a value.
  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}

extension Value {
  /// The same after models got other names, old name → new name: an object in a property of type `any` says its own.
  package func renamingModels(_ names: [String: String]) -> Value {
    guard case .object(let model, let identity) = self, let name = names[model] else { return self }
    return .object(model: name, identity: identity)
  }
}

extension Value: Hashable {
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    // Swift's own == of strings is canonical equivalence; stored strings differ where their bytes do.
    case (.string(let a), .string(let b)): a.isSpelled(like: b)
    case (.data(let a), .data(let b)): a == b
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
    case (.uuid(let a), .uuid(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.objectID(let a), .objectID(let b)): a == b
    case (.link(let a), .link(let b)): a == b
    case (.object(let a, let i), .object(let b, let j)): a == b && i == j
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .bool(let value): hasher.combine(value)
    case .int(let value), .link(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value), .date(let value): hasher.combine(value.bitPattern)
    case .string(let value): hash(value, into: &hasher)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .objectID(let value): hasher.combine(value)
    case .object(let model, let identity):
      hasher.combine(model)
      hasher.combine(identity)
    }
  }

  private func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// The 16 bytes of a UUID (RFC 9562), big-endian in two words.
package struct UUIDValue: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads exactly 16 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        words.high = words.high << 8 | UInt64(byte)
      } else {
        words.low = words.low << 8 | UInt64(byte)
      }
    }
    self.init(high: words.high, low: words.low)
  }

  /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case.
  package init?(_ text: String) {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
    guard let bytes = Hex.decode(groups.joined()) else { return nil }
    self.init(bytes: bytes)
  }

  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * $0)) }
  }

  package var description: String {
    let digits = Array(Hex.encode(bytes).uppercased())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// The 12 bytes of an object ID as MongoDB defines them: seconds since 1970, a random part, a counter.
package struct ObjectIDValue: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt32

  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// Reads exactly 12 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 12 else { return nil }
    var words: (high: UInt64, low: UInt32) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        words.high = words.high << 8 | UInt64(byte)
      } else {
        words.low = words.low << 8 | UInt32(byte)
      }
    }
    self.init(high: words.high, low: words.low)
  }

  /// Reads 24 hexadecimal digits in either case.
  package init?(_ text: String) {
    guard text.utf8.count == 24, let bytes = Hex.decode(text.utf8) else { return nil }
    self.init(bytes: bytes)
  }

  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
  }

  package var description: String { Hex.encode(bytes) }

  package static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
