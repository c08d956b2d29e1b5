import CSQLite

/// A temporary file of SQLite's: sorted rows, temporary tables, what a statement may take back.
///
/// Its bytes are sealed in blocks under a key that is kept nowhere else. SQLite reads and writes parts as it likes.
final class TemporaryPageFile: PageFile {
  private let codec: any PageCodec
  private var length: Int64 = 0
  private let plain = PageBuffer(stored)
  private let sealed = PageBuffer(stored)
  /// The block that `plain` holds.
  private var held: Int64 = -1

  private static let block = 4096
  /// The codec's own bytes stand behind each block.
  private static let stored = block + 32

  init(_ base: PageVFS.FilePointer, _ codec: any PageCodec) {
    self.codec = codec
    super.init(base)
  }

  override func size(_ out: UnsafeMutablePointer<sqlite3_int64>) -> Int32 {
    out.pointee = length
    return SQLITE_OK
  }

  /// Brings a block into `plain`, zeros where nothing was written.
  private func hold(_ number: Int64) -> Int32 {
    if held == number { return SQLITE_OK }
    held = -1
    let code = rawRead(plain.bytes, Self.stored, number * Int64(Self.stored))
    if code == PageCode.shortRead {
      plain.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.stored)
    } else {
      guard code == SQLITE_OK else { return code }
      let bytes = UnsafeRawBufferPointer(start: plain.bytes, count: Self.stored)
      // A block that was left out is a hole.
      if bytes.contains(where: { $0 != 0 }) {
        guard codec.open(plain.bytes, size: Self.stored, at: place(number)) else {
          return PageCode.data
        }
      }
    }
    held = number
    return SQLITE_OK
  }

  private func place(_ number: Int64) -> PagePlace {
    PagePlace(file: .temporary, number: UInt32(truncatingIfNeeded: number &+ 2))
  }

  private func store() -> Int32 {
    guard codec.seal(plain.bytes, into: sealed.bytes, size: Self.stored, at: place(held)) else {
      return PageCode.write
    }
    return rawWrite(sealed.bytes, Self.stored, held * Int64(Self.stored))
  }

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let end = min(offset + Int64(count), length)
    var place = offset
    while place < end {
      let number = place / Int64(Self.block)
      let code = hold(number)
      guard code == SQLITE_OK else { return code }
      let within = Int(place % Int64(Self.block))
      let part = min(Self.block - within, Int(end - place))
      (target + Int(place - offset)).copyMemory(from: plain.bytes + within, byteCount: part)
      place += Int64(part)
    }
    guard end < offset + Int64(count) else { return SQLITE_OK }
    let have = max(0, Int(end - offset))
    (target + have).initializeMemory(as: UInt8.self, repeating: 0, count: count - have)
    return PageCode.shortRead
  }

  override func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    var place = offset
    let end = offset + Int64(count)
    while place < end {
      let number = place / Int64(Self.block)
      let within = Int(place % Int64(Self.block))
      let part = min(Self.block - within, Int(end - place))
      if part < Self.block {
        let code = hold(number)
        guard code == SQLITE_OK else { return code }
      } else {
        plain.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Self.stored)
        held = number
      }
      (plain.bytes + within).copyMemory(from: bytes + Int(place - offset), byteCount: part)
      let code = store()
      guard code == SQLITE_OK else {
        held = -1
        return code
      }
      place += Int64(part)
    }
    length = max(length, end)
    return SQLITE_OK
  }

  override func truncate(_ size: Int64) -> Int32 {
    guard size < length else { return SQLITE_OK }
    let within = Int(size % Int64(Self.block))
    if within > 0 {
      // What is cut off must not come back when the file grows again.
      let code = hold(size / Int64(Self.block))
      guard code == SQLITE_OK else { return code }
      (plain.bytes + within).initializeMemory(
        as: UInt8.self, repeating: 0, count: Self.block - within)
      let stored = store()
      guard stored == SQLITE_OK else { return stored }
    } else if held >= size / Int64(Self.block) {
      held = -1
    }
    length = size
    let blocks = (size + Int64(Self.block) - 1) / Int64(Self.block)
    return rawTruncate(blocks * Int64(Self.stored))
  }

  override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch operation {
    case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: SQLITE_OK
    default: super.control(operation, argument)
    }
  }
}
