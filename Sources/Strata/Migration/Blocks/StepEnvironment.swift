import StrataExpression
import StrataSchema

/// What a step may use in place of the clock and of chance: the same on every machine and every path.
struct StepEnvironment: Sendable {
  let version: Int
  /// The day of freezing at midnight UTC, in seconds since 2001-01-01.
  let date: Double
  /// What the models of the version before are called that have another name now; on the way back, what those of the newer one were
  /// called.
  private(set) var renamedModels: [String: String]

  /// - Parameter date: `2026-11-21`; anything else counts as the reference day.
  init(version: Int, date: String, renamedModels: [String: String] = [:]) {
    self.version = version
    self.renamedModels = renamedModels
    self.date = DateText.parse(date) ?? 0
  }

  /// The same on the way back, where objects of the newer version are read and those of the older one are written.
  var reversed: StepEnvironment {
    let names = renamedModels.map { ($0.value, $0.key) }
    var result = self
    result.renamedModels = Dictionary(names) { first, _ in first }
    return result
  }

  /// A UUID (version 8 of RFC 9562) that depends on the version, the model, the object and the use alone.
  func uuid(model: String, key: String, use: String) -> UUIDValue {
    let bytes = digest(model: model, key: key, use: use)
    var value = UUIDValue(bytes: bytes[0..<16]) ?? UUIDValue(high: 0, low: 0)
    value.high = value.high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
    value.low = value.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return value
  }

  /// An object ID that depends on the same, its time being the step's date.
  func objectID(model: String, key: String, use: String) -> ObjectIDValue {
    let bytes = digest(model: model, key: key, use: use)
    let seconds = UInt32(clamping: Int64(date) + 978_307_200)
    let time = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> UInt32($0)) }
    return ObjectIDValue(bytes: time + bytes[0..<8]) ?? ObjectIDValue(high: 0, low: 0)
  }

  /// 64 bits to seed a generator with.
  func seed(model: String, key: String, use: String) -> UInt64 {
    digest(model: model, key: key, use: use)[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func digest(model: String, key: String, use: String) -> [UInt8] {
    Digest(of: "\(version)\u{0}\(model)\u{0}\(key)\u{0}\(use)").bytes
  }
}
