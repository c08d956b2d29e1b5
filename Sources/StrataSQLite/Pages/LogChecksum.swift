/// The checksum of the write-ahead log, <https://www.sqlite.org/fileformat.html#checksum_algorithm>; SQLite's checksummed pages
/// have the same.
package struct LogChecksum: Equatable {
  package var first: UInt32
  package var second: UInt32

  package init(first: UInt32 = 0, second: UInt32 = 0) {
    self.first = first
    self.second = second
  }

  /// As a frame's header spells it, in big-endian words.
  init(bytes: UnsafeRawPointer) {
    first = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    second = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
  }

  func write(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: first.bigEndian, as: UInt32.self)
    bytes.storeBytes(of: second.bigEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// Adds bytes, whose number is a multiple of eight, as words of the log's own order.
  package mutating func add(_ bytes: UnsafeRawPointer, count: Int, bigEndian: Bool) {
    var (first, second) = (first, second)
    for offset in stride(from: 0, to: count, by: 8) {
      let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      first &+= (bigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
      second &+= (bigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
    }
    (self.first, self.second) = (first, second)
  }
}
