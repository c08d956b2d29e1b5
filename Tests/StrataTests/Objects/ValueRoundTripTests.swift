import Foundation
import Strata
import StrataTestModels
import Testing

@Suite struct ValueRoundTripTests {
  /// Sets a property of a managed object, reads it in another store, and compares with the bits.
  private func roundTrip<Value: StoredValue>(
    _ property: ReferenceWritableKeyPath<Scalars, Value>, _ values: [Value],
    bits: (Value) -> [UInt8]
  ) throws {
    let test = try TestStore()
    let objects = values.map { _ in
      Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
    }
    try test.store.write {
      for (object, value) in zip(objects, values) {
        try test.store.add(object)
        object[keyPath: property] = value
      }
      // One more that is added with its value.
      for value in values {
        let object = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
        object[keyPath: property] = value
        #expect(bits(object[keyPath: property]) == bits(value))
        try test.store.add(object)
      }
    }
    let other = try test.open()
    let found = other.objects(Scalars.self).map { bits($0[keyPath: property]) }

    #expect(found == (values + values).map(bits))
    #expect(objects.map { bits($0[keyPath: property]) } == values.map(bits))
  }

  private func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  @Test func integers() throws {
    try roundTrip(\.int, [.min, -1, 0, 1, .max], bits: bytes)
    try roundTrip(\.int8, [.min, -1, 0, 1, .max], bits: bytes)
    try roundTrip(\.int16, [.min, .max], bits: bytes)
    try roundTrip(\.int32, [.min, .max], bits: bytes)
    try roundTrip(\.int64, [.min, .max], bits: bytes)
    try roundTrip(\.int32OrNone, [nil, .max]) { $0.map(bytes) ?? [] }
  }

  @Test func floatingPoint() throws {
    try roundTrip(
      \.double, [0, -0.0, .nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude, 0.1]
    ) { bytes($0.bitPattern) }
    try roundTrip(
      \.float, [0, -0.0, .nan, .signalingNaN, .infinity, .leastNonzeroMagnitude, 0.1]
    ) { bytes($0.bitPattern) }
    try roundTrip(\.doubleOrNone, [nil, .nan]) { $0.map { bytes($0.bitPattern) } ?? [] }
  }

  @Test func texts() throws {
    try roundTrip(
      \.string,
      ["", "a\u{0}b", "e\u{301}", "\u{E9}", "\u{1F600}", String(repeating: "x", count: 70_000)]
    ) { Array($0.utf8) }
    try roundTrip(\.stringOrNone, [nil, ""]) { $0.map { Array($0.utf8) } ?? [255] }
  }

  @Test func others() throws {
    try roundTrip(\.bool, [true, false]) { [$0 ? 1 : 0] }
    try roundTrip(\.data, [Data(), Data([0, 255]), Data(count: 100_000)]) { Array($0) }
    try roundTrip(
      \.date,
      [0, -0.0, 0.1, .nan, 1e300].map(Date.init(timeIntervalSinceReferenceDate:))
    ) { bytes($0.timeIntervalSinceReferenceDate.bitPattern) }
    try roundTrip(\.uuid, [UUID(), UUID()]) { Array($0.uuidString.utf8) }
    try roundTrip(\.objectId, [ObjectID()]) { $0.bytes }
    try roundTrip(
      \.decimal,
      [
        "0", "-1.5", "12345678901234567890123456789012345678", "0.00000000000000000000001", "1e100",
      ]
      .map { Decimal(string: $0)! } + [.nan]
    ) { Array($0.description.utf8) }
    try roundTrip(
      \.any,
      [nil, true, 1, 1.5, "text", .data(Data([1])), .decimal(1.5), .uuid(UUID()), .float(.nan)]
    ) { Array("\($0.map { "\($0)" } ?? "-")".utf8) }
  }
}
