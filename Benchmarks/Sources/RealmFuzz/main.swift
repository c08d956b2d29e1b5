import RealmFixtures
import StrataRealm
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Throws damaged Realm files at the reader: RealmFuzz [inputs] [seed] [first]. Each is a fixture of which bits are flipped, bytes changed,
// exchanged or copied, or the end is cut off. Whatever they say, reading all of them ends with values or with an error.

struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }
}

let key = (0..<64).map { UInt8($0 + 1) }
let fixtures: [(bytes: [UInt8], key: [UInt8]?)] = {
  let small = FixtureFiles.all(count: 5)
  let (writer, top) = FixtureFiles.all(count: 3, clusterSize: 2).nodes()
  let gaps = FixtureFiles.all(count: 4, clusterSize: 2, hasGaps: true)
  return [
    (small.file, nil), (gaps.file, nil), (writer.compactedFile(top: top, format: 24), nil),
    (OldFixture.file(format: 9), nil), (OldFixture.file(format: 3), nil),
    (writer.file(top: top, format: 22), nil), (EncryptedCopy(key: key).bytes(of: gaps.file), key),
  ]
}()

func mutate(_ bytes: inout [UInt8], _ random: inout Random) {
  for _ in 0...random.below(6) where !bytes.isEmpty {
    let place = random.below(bytes.count)
    switch random.below(8) {
    case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
    case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes.swapAt(place, random.below(bytes.count))
    case 4:
      // A reference to another node.
      let target = random.below(bytes.count) & ~7
      for byte in 0..<3 where place & ~7 + byte < bytes.count {
        bytes[place & ~7 + byte] = UInt8(target >> (8 * byte) & 255)
      }
    case 5:
      let count = min(random.below(64), bytes.count - place)
      let source = random.below(bytes.count - count)
      for byte in 0..<count { bytes[place + byte] = bytes[source + byte] }
    case 6:
      // A node's header.
      let node = place & ~7
      if node + 7 < bytes.count {
        bytes[node + 4 + random.below(4)] = UInt8(truncatingIfNeeded: random.next())
      }
    default: if random.below(10) == 0 { bytes.removeSubrange(place...) }
    }
  }
}

/// How many values a file has; an error ends the reading.
func read(_ bytes: [UInt8], key: [UInt8]?) -> (values: Int, isWhole: Bool) {
  var values = 0
  do {
    let file = try RealmFile(contents: bytes, key: key)
    for table in file.tables {
      _ = try table.rank(of: 3)
      try table.forEachChunk { chunk in
        for row in 0..<chunk.count {
          _ = try chunk.key(of: row)
          for (column, declared) in table.columns.enumerated() {
            if declared.collection == .none {
              _ = try chunk.value(column, row)
              values += 1
            } else {
              try chunk.forEachElement(column, row) { _, _ in values += 1 }
            }
          }
        }
      }
    }
    return (values, true)
  } catch { return (values, false) }
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = arguments.first ?? 1_000_000
let seed = arguments.dropFirst().first ?? 1
let first = arguments.dropFirst(2).first ?? 0
var (whole, values) = (0, 0)
for number in first..<first + count {
  var random = Random(state: UInt64(seed) << 32 | UInt64(number))
  var (bytes, key) = fixtures[random.below(fixtures.count)]
  mutate(&bytes, &random)
  // An input that stops the process is the last one that was named.
  if count == 1 { print("input \(number) of seed \(seed): \(bytes.count) bytes") }
  let result = read(bytes, key: key)
  values += result.values
  if result.isWhole { whole += 1 }
  if (number + 1) % 10_000 == 0 {
    print("\(number + 1) inputs, \(whole) without an error")
    // A run that is ended shows how far it came.
    fflush(nil)
  }
}
print("\(count) damaged Realm files: \(whole) read to the end, \(values) values, no crash")
