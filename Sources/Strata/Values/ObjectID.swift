package import StrataSchema
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An identifier of 12 bytes as MongoDB defines it: four bytes of seconds since 1970, five that one process
/// draws by chance, three that count up.
public struct ObjectID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var stored: ObjectIDValue

  package init(_ stored: ObjectIDValue) { self.stored = stored }

  /// A new identifier.
  public init() {
    let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970)))
    let chance = Self.chance
    let count = UInt32(truncatingIfNeeded: Self.counter.add(1, ordering: .relaxed).newValue)
    stored = ObjectIDValue(
      high: seconds << 32 | chance >> 8,
      low: UInt32(truncatingIfNeeded: chance & 0xFF) << 24 | count & 0xFF_FFFF)
  }

  /// Reads 24 hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    guard let stored = ObjectIDValue(text) else { return nil }
    self.stored = stored
  }

  /// Reads 12 bytes; nil for another number of them.
  public init?(bytes: some Collection<UInt8>) {
    guard let stored = ObjectIDValue(bytes: bytes) else { return nil }
    self.stored = stored
  }

  /// The 12 bytes.
  public var bytes: [UInt8] { stored.bytes }

  /// 24 lower-case hexadecimal digits.
  public var description: String { stored.description }

  /// When the identifier was made, to the second.
  public var timestamp: Date { Date(timeIntervalSince1970: Double(stored.high >> 32)) }

  public static func < (left: Self, right: Self) -> Bool { left.stored < right.stored }

  private static let chance = UInt64.random(in: 0..<1 << 40)
  private static let counter = Atomic<UInt>(UInt.random(in: 0..<1 << 24))
}

extension ObjectID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = ObjectID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "24 hexadecimal digits are expected.")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
