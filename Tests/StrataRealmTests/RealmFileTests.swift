import RealmFixtures
import StrataSchema
import Testing

@testable import StrataRealm

@Suite("Reading a Realm file")
struct RealmFileTests {
  static let key = (0..<64).map { UInt8($0 * 3 + 1) }

  static func open(_ bytes: [UInt8], key: [UInt8]? = nil) throws -> RealmFile {
    try RealmFile(contents: bytes, key: key)
  }

  /// What the fixture's values are in the words of the dump.
  static func expected(_ name: String, _ object: Int) -> String? {
    func text(_ bytes: [UInt8]?, _ letter: String) -> String {
      bytes.map { "\(letter):" + Hex.encode($0) } ?? "n"
    }
    let isEmpty = object % 3 == 0
    switch name {
    case "id": return "i:\(object - 3)"
    case "count": return object % 4 == 0 ? "n" : "i:\(Int64(object) << 33)"
    case "flag": return ["b:0", "b:1", "n"][object % 3]
    case "short": return text(FixtureFiles.text(object), "s")
    case "long": return text(FixtureFiles.longText(object), "s")
    case "huge": return text(FixtureFiles.hugeText(object), "s")
    case "bytes": return text(FixtureFiles.text(object), "x")
    case "pieces": return text([UInt8](repeating: UInt8(object & 255), count: 100), "x")
    case "date":
      return object % 6 == 5 ? "n" : "t:\(object * 1_000_003 - 5_000):\(object < 1 ? -5 : 7)"
    case "decimal": return "D:\(object).25"
    case "object":
      return object % 10 == 3
        ? "n" : "o:" + String(repeating: Hex.encode([UInt8(object & 255)]), count: 12)
    case "numbers": return isEmpty ? "[]" : "[i:\(object),i:-1,]"
    case "many": return isEmpty ? "[]" : "[i:0,i:\(object),i:1,i:\(object),i:2,i:\(object),]"
    case "names": return isEmpty ? "[]" : "[s:61,s:" + Hex.encode(Array("b\(object)".utf8)) + ",]"
    case "scores":
      let number = String(Double(object).bitPattern, radix: 16)
      return isEmpty ? "{}" : "{s:6f6e65=d:\(number),s:74776f=n,}"
    case "any":
      return [
        "n", "i:\(object)", nil, "s:" + Hex.encode(Array("mixed \(object)".utf8)),
        "t:\(object * 1_000_000):5", "L:1:0", "[i:\(object),b:1,]", "{s:6b=i:7,}",
      ][object % 8]
    default: return nil
    }
  }

  @Test(
    "Every type, in clusters with keys that are counted or written out",
    arguments: [
      (600, 256, false), (600, 100, true), (1, 256, false), (0, 256, false),
    ])
  func readsEveryType(count: Int, clusterSize: Int, hasGaps: Bool) throws {
    let fixture = FixtureFiles.all(count: count, clusterSize: clusterSize, hasGaps: hasGaps)
    let file = try Self.open(fixture.file)
    let table = try #require(file.table(named: "class_All"))
    #expect(table.count == count)
    #expect(table.primaryKey == 0)
    #expect(file.schemaVersion == 7)
    for column in table.columns {
      let found = try file.column(column.name, of: "class_All")
      #expect(found.count == count)
      for (object, text) in found.enumerated() {
        if let expected = Self.expected(column.name, object) {
          #expect(text == expected, "\(column.name) of \(object)")
        }
      }
    }
    for object in 0..<count {
      let key = RealmFixture.key(of: object, hasGaps: hasGaps, clusterSize: clusterSize)
      #expect(try table.rank(of: key) == object)
    }
    #expect(try table.rank(of: 1 << 40) == nil)
  }

  @Test func aDeletedTargetOfALinkIsNoElement() throws {
    let file = try Self.open(FixtureFiles.all(count: 3).file)
    #expect(
      try file.column("links", of: "class_All") == ["[]", "[L:0:0,L:0:1,]", "[L:0:0,L:0:1,]"])
    #expect(try file.column("parent", of: "class_All") == ["n", "l:0", "n"])
  }

  @Test(
    "Until format 22 a dictionary is a small table, with one more column where keys had one hash",
    arguments: [false, true])
  func dictionaryAsTable(hadEqualHashes: Bool) throws {
    let owner = FixtureClass(
      name: "Owner",
      columns: [
        .init(name: "map", type: 0, attributes: FixtureFiles.dictionary) { writer, _ in
          let hashes = writer.integers([5, 100, 1 << 30])
          let keys = writer.texts(["a", "b", "c"].map { Array($0.utf8) })
          let values = writer.refs([writer.integers([7, 8, 9].map { $0 << 8 | 1 })])
          var columns = [hashes, keys, values]
          if hadEqualHashes {
            let others = writer.integers([100])
            columns.append(writer.refs([others, 0, 0]))
          }
          return writer.refs([writer.refs(columns)])
        }
      ], count: 1)
    let (writer, top) = RealmFixture(classes: [owner]).nodes()

    let file = try Self.open(writer.file(top: top, format: 22))

    #expect(try file.column("map", of: "class_Owner") == ["{s:61=i:7,s:62=i:8,s:63=i:9,}"])
  }

  /// One byte that is read brings 64 KiB of the file into memory: 100 clusters that far apart are more than what may stay there.
  @Test func memoryIsGivenBackWhileAFileIsOpenedAndRead() throws {
    let wide = FixtureClass(
      name: "Wide",
      columns: [
        .init(name: "bytes", type: 4) {
          $0.blobs($1.map { _ in [UInt8](repeating: 7, count: 4_500) })
        }
      ], count: 2_000)
    let file = try Self.open(RealmFixture(classes: [wide], clusterSize: 16).file)
    #expect(file.bytes.count > 8 << 20)
    let opened = file.bytes.releases
    var values = 0
    try #require(file.table(named: "class_Wide")).forEachChunk { chunk in
      for row in 0..<chunk.count where try chunk.value(0, row) != .null { values += 1 }
    }
    #expect(values == 2_000)
    #expect(file.bytes.releases > opened)
    // Of a small file nothing is.
    let small = try Self.open(FixtureFiles.all(count: 300).file)
    _ = try small.allCells()
    #expect(small.bytes.releases == 0)
  }

  @Test func aCompactedCopyIsTheSame() throws {
    let (writer, top) = FixtureFiles.all(count: 300).nodes()
    let plain = try Self.open(writer.file(top: top, format: 24))
    let compacted = try Self.open(writer.compactedFile(top: top, format: 24))
    #expect(!plain.isCompacted)
    #expect(compacted.isCompacted)
    #expect(try compacted.allCells() == plain.allCells())
  }

  @Test func anEncryptedFileIsTheSame() throws {
    // More than one page of checksums.
    let bytes = FixtureFiles.all(count: 900).file
    #expect(bytes.count > 65 * 4096)
    let encrypted = try Self.open(EncryptedCopy(key: Self.key).bytes(of: bytes), key: Self.key)
    #expect(encrypted.isEncrypted)
    #expect(try encrypted.allCells() == Self.open(bytes).allCells())
  }

  @Test func aWrongKeyIsNamed() throws {
    let encrypted = EncryptedCopy(key: Self.key).bytes(of: FixtureFiles.all(count: 1).file)
    func message(_ key: [UInt8]?) -> String {
      do {
        _ = try Self.open(encrypted, key: key)
        return "opened"
      } catch { return "\(error)" }
    }
    #expect(
      message(nil) == "it is no Realm file, or it is encrypted and its key is needed (--key-file)")
    #expect(message([1, 2]) == "the key has 2 bytes where 64 are expected")
    var wrong = Self.key
    wrong[63] ^= 1
    #expect(
      message(wrong)
        == "the key is not the one that the file was encrypted with, or the page is damaged (byte 0)"
    )
    var half = Self.key
    half[0] ^= 1
    #expect(
      message(half) == "the first half of the key is not the one that it was encrypted with")
  }

  @Test func anInterruptedWriteOfAPageIsReadByItsFormerChecksum() throws {
    let bytes = FixtureFiles.all(count: 1).file
    var encrypted = EncryptedCopy(key: Self.key).bytes(of: bytes)
    // The entry of the first page moves to the second place, and the first place is of a write that did not happen.
    let entry = Array(encrypted[0..<32])
    encrypted.replaceSubrange(32..<64, with: entry)
    encrypted.replaceSubrange(4..<32, with: [UInt8](repeating: 9, count: 28))
    #expect(try Self.open(encrypted, key: Self.key).allCells() == Self.open(bytes).allCells())
  }

  @Test func aNewFileHasNoTables() throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
    let file = try Self.open(bytes)
    #expect(file.tables.isEmpty)
    #expect(file.schemaVersion == nil)
  }

  @Test func aNewerFormatIsNamed() throws {
    let (writer, top) = FixtureFiles.all(count: 1).nodes()
    #expect(throws: RealmError("is of format 25; formats 2 to 24 are read", at: 20)) {
      try Self.open(writer.file(top: top, format: 25))
    }
  }
}

@Suite("Decimals of Realm")
struct RealmDecimalTests {
  @Test(arguments: [
    (RealmDecimal(high: UInt64(6176) << 49, low: 0), "0"),
    (RealmDecimal(high: UInt64(6176 + 6000) << 49, low: 0), "0"),
    (RealmDecimal(high: 1 << 63 | UInt64(1) << 49, low: 0), "-0"),
    (RealmDecimal(high: UInt64(6176 + 3) << 49, low: 12), "12E3"),
    (RealmDecimal(high: 1 << 63 | UInt64(6176 - 5) << 49, low: 125), "-125E-5"),
    // 10³⁴ − 1, the largest coefficient.
    (
      RealmDecimal(high: UInt64(6176) << 49 | 0x1_ED09_BEAD_87C0, low: 0x378D_8E63_FFFF_FFFF),
      "9999999999999999999999999999999999"
    ),
    (RealmDecimal(high: 0x7800_0000_0000_0000, low: 0), "Inf"),
    (RealmDecimal(high: 0xF800_0000_0000_0000, low: 0), "-Inf"),
    (RealmDecimal(high: 0x7C00_0000_0000_0000, low: 0), "NaN"),
    (RealmDecimal(UInt32(101 - 1) << 23 | 15), "15E-1"),
    (RealmDecimal(0x6000_0000 | UInt32(101) << 21 | 5), "8388613"),
    (RealmDecimal(UInt64(398 + 2) << 53 | 7), "7E2"),
    (RealmDecimal(0x6000_0000_0000_0000 | UInt64(398) << 51 | 1), "9007199254740993"),
  ])
  func areSpelled(_ decimal: RealmDecimal, _ text: String) { #expect(decimal.text == text) }
}

@Suite("AES and SHA-224")
struct CipherTests {
  /// FIPS 197, appendix C.3.
  @Test func theStandardsExampleIsDecrypted() {
    let aes = AESDecryption(key: (0..<32).map { UInt8($0) })
    let plain = aes.decrypt(SIMD4(0x8EA2_B7CA, 0x5167_45BF, 0xEAFC_4990, 0x4B49_6089))
    #expect(plain == SIMD4(0x0011_2233, 0x4455_6677, 0x8899_AABB, 0xCCDD_EEFF))
  }

  /// RFC 4231, test case 2, with the key filled up to the size of Realm's.
  @Test func theAuthenticationCodeIsHMAC() throws {
    let key =
      [UInt8](repeating: 0, count: 32) + Array("Jefe".utf8) + [UInt8](repeating: 0, count: 28)
    let cipher = try #require(RealmCipher(key: key))
    let code = Array("what do ya want for nothing?".utf8).withUnsafeBytes {
      cipher.authenticationCode(of: $0)
    }
    #expect(Hex.encode(code) == "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
  }
}
