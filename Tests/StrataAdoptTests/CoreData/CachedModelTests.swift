import CoreDataFixtures
import StrataSchema
import Testing

@testable import StrataAdopt

/// The pieces that a store's own model is read with.
@Suite struct CachedModelTests {
  private static let sentence = String(
    repeating: "Core Data keeps the model of a store in the store. ", count: 6)
  private static let fixed =
    "73ce2f4a5570492c4954c84e4d2d285628c94855c8cd4f49cd51c84f534854282e01c967e681c5c11c3d05e791ad0500"
  private static let dynamic =
    "edced70d84200000d05530166c915888052cb105a32896889eee3fc7ad711ff726780052f5386d16e3ea6e692d29f22b30b1cd3bc6153242066b9faf40ce1b6469d26b9c096b6efa2bb32dbc9088acb1e315ef341cfe25a427daeec0ea6bd78e6a12b02c4a6e1ba847ba455fce3f89fec242970f9acb7c800b13e658d55ba402b743a6579bd7ed0e71549c554c456440bc9659f3346921425df3791ad22d454163ecab420cf06fff76fb0b"

  private func bytes(_ digits: String) throws -> [UInt8] {
    try #require(Hex.decode(Array(digits.utf8)))
  }

  @Test("Blocks with fixed codes, with codes of their own, and stored ones are unpacked")
  func unpacks() throws {
    #expect(Inflate.unpack(try bytes(Self.fixed), limit: 1_000) == Array(Self.sentence.utf8))
    let expected = (0..<600).map { (number: Int) -> UInt8 in
      let square: Int = number * number * 7
      return UInt8((square + number / 3) % 61 + 32)
    }
    #expect(Inflate.unpack(try bytes(Self.dynamic), limit: 1_000) == expected)
    #expect(Inflate.unpack([1, 3, 0, 0xFC, 0xFF, 7, 8, 9], limit: 3) == [7, 8, 9])
  }

  @Test("What is cut off, damaged or larger than allowed is nothing")
  func refuses() throws {
    let whole = try bytes(Self.dynamic)
    for count in 0..<whole.count - 1 {
      #expect(Inflate.unpack(Array(whole[..<count]), limit: 1_000) == nil)
    }
    #expect(Inflate.unpack(whole, limit: 599) == nil)
    #expect(Inflate.unpack([7], limit: 10) == nil)
  }

  @Test("A model is the same in the words of the store and of Xcode")
  func agrees() throws {
    let cached = try #require(CachedModel.read(StoreModel.archive(StoreModel.entities)))
    let text = "<model>\(StoreModel.xml(StoreModel.entities))</model>"
    let written = CoreDataModel(try XMLReader.read(Array(text.utf8)))
    #expect(CoreDataModel(cached).differences(from: written) == [])
    #expect(CoreDataModel(cached).detailDifferences(from: written) == 0)
  }

  /// A generator of the test's own, so that a failure can be had again.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  @Test("Whatever is changed in it, a model is read or refused, and nothing worse")
  func survivesDamage() throws {
    let whole = StoreModel.archive(StoreModel.entities)
    var generator = Generator(state: 17)
    var read = 0
    for _ in 0..<2_000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[place] = UInt8.random(in: 0...255, using: &generator)
      }
      if CachedModel.read(damaged) != nil { read += 1 }
    }
    #expect(read > 0)
    #expect(read < 2_000)
  }
}
