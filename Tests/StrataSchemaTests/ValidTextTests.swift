import StrataSchema
import Testing

@Suite struct ValidTextTests {
  /// Bytes at which a form of UTF-8 begins or ends.
  private static let borders: [UInt8] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF,
    0xF0, 0xF4, 0xF5, 0xFF,
  ]

  private func text(of bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { String(validUTF8: $0) }
  }

  /// The standard library is asked of each first byte, and of what may follow.
  @Test func bytesAreTextsWhereTheLibrarySaysSo() {
    var wrong: [[UInt8]] = []
    for first in UInt8.min...UInt8.max {
      for second in Self.borders {
        for third in Self.borders {
          for fourth in [0x41, 0x7F, 0x80, 0xBF, 0xC2] as [UInt8] {
            let bytes = [first, second, third, fourth]
            let expected = String(validating: bytes, as: UTF8.self)
            if text(of: bytes).map({ Array($0.utf8) }) != expected.map({ Array($0.utf8) }) {
              wrong.append(bytes)
            }
          }
        }
      }
    }

    #expect(wrong.isEmpty)
  }

  /// Eight bytes are looked at together, so that each place within them counts, also the cut end of a character.
  @Test(
    arguments: [[0x80], [0xFF], [0xC3, 0xA9], [0xE2, 0x82], [0xF0, 0x9F, 0x98, 0x80]] as [[UInt8]])
  func theyAreFoundAtEachPlace(_ special: [UInt8]) {
    let isValid = String(validating: special, as: UTF8.self) != nil
    for before in 0...17 {
      for after in 0...17 {
        let bytes =
          [UInt8](repeating: 0x61, count: before) + special + [UInt8](repeating: 0x7A, count: after)
        #expect((text(of: bytes) != nil) == isValid, "\(before) before and \(after) behind")
        #expect(text(of: bytes).map { Array($0.utf8) == bytes } ?? true)
      }
    }
  }

  @Test(arguments: 0...40)
  func plainTextsOfEachLengthAreThemselves(length: Int) {
    let bytes = (0..<length).map { UInt8(0x20 + $0) }
    #expect(text(of: bytes) == String(decoding: bytes, as: UTF8.self))
  }
}
