/// One page of a table's or an index's tree, <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
///
/// Each byte behind the cells' pointers belongs to one cell, to one free block, or to the fragments that the header counts: a page of which that is
/// not so is damaged.
struct BTreePage {
  enum Kind: UInt8 {
    case indexInterior = 0x02
    case tableInterior = 0x05
    case indexLeaf = 0x0A
    case tableLeaf = 0x0D

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    var isOfTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  struct Cell {
    /// The page with what stands before the cell; 0 in a leaf.
    var child = 0
    /// Of a table's cell.
    var row: Int64 = 0
    var payloadSize = 0
    /// The part of the payload that stands on the page.
    var local = 0..<0
    /// The page on which the payload goes on; 0 where it does not.
    var overflow = 0
  }

  let kind: Kind
  /// In the order of their keys.
  let cells: [Cell]
  /// The page with what stands behind the last cell; 0 in a leaf.
  let lastChild: Int

  /// SQLite gives each cell as many bytes at least.
  static let minimumCellSize = 4
  private static let fileHeaderSize = 100

  /// Nil where the page is damaged or is none of a tree.
  ///
  /// - Parameter isFirst: whether the file's header stands before the page's own.
  init?(_ bytes: [UInt8], usableSize: Int, isFirst: Bool = false) {
    let start = isFirst ? Self.fileHeaderSize : 0
    guard usableSize > start + 12, bytes.count >= usableSize,
      let kind = Kind(rawValue: bytes[start])
    else { return nil }
    self.kind = kind
    let count = Self.word(bytes, start + 3)
    let pointers = start + (kind.isLeaf ? 8 : 12)
    // 65,536 does not fit.
    let named = Self.word(bytes, start + 5)
    let content = named == 0 ? 65_536 : named
    guard content >= pointers + 2 * count, content <= usableSize else { return nil }
    var cells: [Cell] = []
    cells.reserveCapacity(count)
    var places: [Range<Int>] = []
    places.reserveCapacity(count)
    for index in 0..<count {
      let place = Self.word(bytes, pointers + 2 * index)
      guard place >= content,
        let (cell, end) = Self.cell(bytes, place, kind, usableSize: usableSize)
      else { return nil }
      cells.append(cell)
      places.append(place..<max(end, place + Self.minimumCellSize))
    }
    let fragments = Int(bytes[start + 7])
    guard let free = Self.freeBlocks(bytes, Self.word(bytes, start + 1), content..<usableSize)
    else { return nil }
    // A cell in a free block is one that was deleted.
    places += free
    guard Self.areApart(&places, before: usableSize),
      places.reduce(fragments, { $0 + $1.count }) == usableSize - content
    else { return nil }
    self.cells = cells
    lastChild = kind.isLeaf ? 0 : Self.number(bytes, start + 8)
  }

  /// All pages below, in their order.
  var children: [Int] { kind.isLeaf ? [] : cells.map(\.child) + [lastChild] }

  private static func areApart(_ places: inout [Range<Int>], before end: Int) -> Bool {
    places.sort { $0.lowerBound < $1.lowerBound }
    guard places.last.map({ $0.upperBound <= end }) ?? true else { return false }
    return zip(places, places.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
  }

  /// The free blocks of a page, which stand in ascending order; nil where they cannot be.
  static func freeBlocks(_ bytes: [UInt8], _ first: Int, _ room: Range<Int>) -> [Range<Int>]? {
    var (block, end) = (first, room.lowerBound)
    var blocks: [Range<Int>] = []
    while block != 0 {
      guard block >= end, block + minimumCellSize <= room.upperBound else { return nil }
      let size = word(bytes, block + 2)
      guard size >= minimumCellSize, block + size <= room.upperBound else { return nil }
      blocks.append(block..<block + size)
      end = block + size
      block = word(bytes, block)
    }
    return blocks
  }

  /// The cell that begins at a place, and where it ends; nil where none can begin there.
  static func cell(
    _ bytes: [UInt8], _ place: Int, _ kind: Kind, usableSize: Int
  ) -> (cell: Cell, end: Int)? {
    var cell = Cell()
    var next = place
    if !kind.isLeaf {
      guard next + 4 <= usableSize else { return nil }
      cell.child = number(bytes, next)
      next += 4
    }
    if kind == .tableInterior {
      guard let row = varint(bytes, &next, before: usableSize) else { return nil }
      cell.row = row
      return (cell, next)
    }
    guard let size = varint(bytes, &next, before: usableSize), size > 0, size <= Int32.max
    else { return nil }
    cell.payloadSize = Int(size)
    if kind == .tableLeaf {
      guard let row = varint(bytes, &next, before: usableSize) else { return nil }
      cell.row = row
    }
    let local = localSize(of: cell.payloadSize, kind, usableSize: usableSize)
    let isWhole = local == cell.payloadSize
    guard next + local + (isWhole ? 0 : 4) <= usableSize else { return nil }
    cell.local = next..<next + local
    if isWhole { return (cell, next + local) }
    cell.overflow = number(bytes, next + local)
    return cell.overflow == 0 ? nil : (cell, next + local + 4)
  }

  /// How much of a payload stands on the page.
  private static func localSize(of payload: Int, _ kind: Kind, usableSize: Int) -> Int {
    let maximum = kind.isOfTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard payload > maximum else { return payload }
    let minimum = (usableSize - 12) * 32 / 255 - 23
    let size = minimum + (payload - minimum) % (usableSize - 4)
    return size <= maximum ? size : minimum
  }

  // MARK: - Numbers

  static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    word(bytes, offset) << 16 | word(bytes, offset + 2)
  }

  /// A number of 1 to 9 bytes, <https://www.sqlite.org/fileformat2.html#varint>.
  ///
  /// - Parameter offset: the first byte; afterwards the first one behind it.
  static func varint(_ bytes: [UInt8], _ offset: inout Int, before end: Int) -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset < end else { return nil }
      let byte = bytes[offset]
      offset += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return Int64(bitPattern: value)
  }
}
