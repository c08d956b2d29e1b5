/// Unpacks raw deflate (RFC 1951), which Core Data keeps its model in.
struct Inflate {
  /// Bits of the longest code.
  private static let maximumCode = 15

  private let input: [UInt8]
  private let limit: Int
  private var position = 0
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// - Parameter limit: bytes of output, of which more are damage.
  /// - Returns: nil for what is damaged or larger.
  static func unpack(_ input: [UInt8], limit: Int) -> [UInt8]? {
    var inflate = Inflate(input: input, limit: limit)
    return inflate.run() ? inflate.output : nil
  }

  private init(input: [UInt8], limit: Int) {
    self.input = input
    self.limit = limit
  }

  private mutating func run() -> Bool {
    // Each block takes bits of the input, so that the loop ends with it.
    while true {
      guard let isLast = take(1), let kind = take(2) else { return false }
      let isWhole: Bool
      switch kind {
      case 0: isWhole = copyStored()
      case 1: isWhole = block(Self.fixedLengths, Self.fixedDistances)
      case 2:
        guard let (lengths, distances) = codes() else { return false }
        isWhole = block(lengths, distances)
      default: isWhole = false
      }
      guard isWhole else { return false }
      if isLast == 1 { return true }
    }
  }

  private mutating func take(_ count: Int) -> UInt32? {
    while bitCount < count {
      guard position < input.count else { return nil }
      bits |= UInt32(input[position]) << UInt32(bitCount)
      position += 1
      bitCount += 8
    }
    let value = bits & ((1 << UInt32(count)) - 1)
    bits >>= UInt32(count)
    bitCount -= count
    return value
  }

  private mutating func copyStored() -> Bool {
    (bits, bitCount) = (0, 0)
    guard position + 4 <= input.count else { return false }
    let count = Int(input[position]) | Int(input[position + 1]) << 8
    let check = Int(input[position + 2]) | Int(input[position + 3]) << 8
    position += 4
    guard count == check ^ 0xFFFF, position + count <= input.count, output.count + count <= limit
    else { return false }
    output += input[position..<(position + count)]
    position += count
    return true
  }

  // MARK: - Codes

  /// A canonical Huffman code: how many symbols have codes of each length, and the symbols in order.
  private struct Code {
    var counts = [Int](repeating: 0, count: Inflate.maximumCode + 1)
    var symbols: [Int] = []

    init?(lengths: some Collection<Int>) {
      for length in lengths { counts[length] += 1 }
      var room = 1
      for length in 1...Inflate.maximumCode {
        room = room << 1 - counts[length]
        if room < 0 { return nil }
      }
      var offsets = [Int](repeating: 0, count: Inflate.maximumCode + 2)
      for length in 1...Inflate.maximumCode {
        offsets[length + 1] = offsets[length] + counts[length]
      }
      symbols = [Int](repeating: 0, count: lengths.count)
      for (symbol, length) in lengths.enumerated() where length != 0 {
        symbols[offsets[length]] = symbol
        offsets[length] += 1
      }
      counts[0] = 0
    }
  }

  private static let fixedLengths = Code(
    lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = Code(lengths: [Int](repeating: 5, count: 30))

  private mutating func symbol(_ code: Code) -> Int? {
    var (value, first, index) = (0, 0, 0)
    for length in 1...Self.maximumCode {
      guard let bit = take(1) else { return nil }
      value |= Int(bit)
      let count = code.counts[length]
      if value - count < first { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    return nil
  }

  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private mutating func codes() -> (Code, Code)? {
    guard let lengthBits = take(5), let distanceBits = take(5), let codeBits = take(4) else {
      return nil
    }
    let lengthCount = Int(lengthBits) + 257
    let distanceCount = Int(distanceBits) + 1
    guard lengthCount <= 286, distanceCount <= 30 else { return nil }
    var lengths = [Int](repeating: 0, count: 19)
    for index in 0..<(Int(codeBits) + 4) {
      guard let length = take(3) else { return nil }
      lengths[Self.order[index]] = Int(length)
    }
    guard let code = Code(lengths: lengths) else { return nil }
    var all: [Int] = []
    while all.count < lengthCount + distanceCount {
      guard let symbol = symbol(code) else { return nil }
      if symbol < 16 {
        all.append(symbol)
        continue
      }
      guard symbol != 16 || !all.isEmpty else { return nil }
      let repeated = symbol == 16 ? all[all.count - 1] : 0
      let (base, width) = symbol == 16 ? (3, 2) : symbol == 17 ? (3, 3) : (11, 7)
      guard let more = take(width), all.count + base + Int(more) <= lengthCount + distanceCount
      else { return nil }
      all += [Int](repeating: repeated, count: base + Int(more))
    }
    guard let first = Code(lengths: all[..<lengthCount]),
      let second = Code(lengths: all[lengthCount...])
    else { return nil }
    return (first, second)
  }

  // MARK: - Content

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthExtras = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
    3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]

  private mutating func block(_ lengths: Code?, _ distances: Code?) -> Bool {
    guard let lengths, let distances else { return false }
    while true {
      guard let found = symbol(lengths) else { return false }
      if found == 256 { return true }
      if found < 256 {
        guard output.count < limit else { return false }
        output.append(UInt8(found))
        continue
      }
      let index = found - 257
      guard index < Self.lengthBases.count, let extra = take(Self.lengthExtras[index]),
        let place = symbol(distances), place < Self.distanceBases.count,
        let more = take(max(0, place / 2 - 1))
      else { return false }
      let length = Self.lengthBases[index] + Int(extra)
      let distance = Self.distanceBases[place] + Int(more)
      guard distance <= output.count, output.count + length <= limit else { return false }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }
}
