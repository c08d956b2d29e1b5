/// Damages the bytes of a file in one of the ways that disks and people do.
struct DamagedBytes {
  var bytes: [UInt8]
  /// What lies in the file in a row: pages behind a header, or a log's frames.
  let header: Int
  let unit: Int
  /// Whether pages stand in each other's places, as they were written.
  private(set) var hasSwappedUnits = false

  mutating func damage(_ random: inout TrialRandom) {
    guard !bytes.isEmpty else { return }
    let place = place(&random)
    switch random.below(10) {
    case 0, 1, 2: bytes[place] ^= 1 << UInt8(random.below(8))
    case 3: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 4: bytes.swapAt(place, self.place(&random))
    case 5: swapUnits(&random)
    case 6:
      let count = min(1 + random.below(600), bytes.count - place)
      let value: UInt8 = random.below(2) == 0 ? 0 : UInt8(truncatingIfNeeded: random.next())
      for byte in place..<place + count { bytes[byte] = value }
    case 7:
      let count = min(1 + random.below(64), bytes.count - place)
      let source = random.below(bytes.count - count + 1)
      for byte in 0..<count { bytes[place + byte] = bytes[source + byte] }
    case 8: truncate(&random)
    default: bytes += (0..<1 + random.below(5000)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }
  }

  /// Anywhere, and often in what says what the rest is.
  private func place(_ random: inout TrialRandom) -> Int {
    switch random.below(6) {
    case 0: return random.below(min(bytes.count, max(header, 100)))
    case 1:
      let start = header + unit * random.below(max(1, (bytes.count - header) / unit))
      return min(bytes.count - 1, max(0, start) + random.below(24))
    default: return random.below(bytes.count)
    }
  }

  private mutating func swapUnits(_ random: inout TrialRandom) {
    let count = (bytes.count - header) / unit
    guard count > 1 else { return }
    hasSwappedUnits = true
    let one = header + unit * random.below(count)
    let other = header + unit * random.below(count)
    for byte in 0..<unit { bytes.swapAt(one + byte, other + byte) }
  }

  private mutating func truncate(_ random: inout TrialRandom) {
    let count = random.below(bytes.count)
    // Half of the time where a page or frame ends.
    let end =
      random.below(2) == 0 && count > header ? header + (count - header) / unit * unit : count
    bytes.removeSubrange(end...)
  }
}
