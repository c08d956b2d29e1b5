/// The strings or blobs of a leaf, in whichever of their forms.
struct StringLeaf {
  private enum Form {
    /// Slots of one width; the last byte of each says how many of the others are padding.
    case short(Node)
    /// Where each one ends, the bytes of all, and which are null.
    case joined(ends: Node, bytes: Node, nulls: Node?, nullSign: Int64)
    /// A reference to a blob each.
    case separate(Node)
    /// Numbers of strings in a list of the column's different ones.
    case enumerated(Node, ElementTree)
  }

  private let form: Form
  let count: Int
  /// A zero byte ends each string; blobs have none.
  private let trailing: Int
  private let isNullable: Bool
  /// Whether a text may have no bytes at all, not even the zero behind it: some very old files have such, which Realm's own upgrade takes
  /// for empty texts (realm-core 10.5.2).
  private let mayLackEnd: Bool

  /// - Parameters:
  ///   - isText: whether a zero byte ends each value.
  ///   - isNullable: whether a slot that is all padding is a null, and not an empty text.
  ///   - isLegacy: of a file before format 10, whose marks of null say the opposite for texts.
  ///   - list: the column's different strings, where it has such a list.
  ///   - isCounted: whether its nodes are steps of the reading.
  init(
    _ bytes: RealmBytes, _ ref: Int, isText: Bool, isNullable: Bool, isLegacy: Bool,
    list: ElementTree? = nil, isCounted: Bool = true
  ) throws(RealmError) {
    let node = try Node(bytes, ref, isCounted: isCounted)
    trailing = isText ? 1 : 0
    self.isNullable = isNullable
    mayLackEnd = isText && isLegacy
    guard node.hasRefs else {
      count = node.count
      if let list, node.widthKind == .bits {
        form = .enumerated(node, list)
        return
      }
      guard node.widthKind == .bytes || node.width == 0 else {
        throw RealmError("texts are expected", at: ref)
      }
      form = .short(node)
      return
    }
    if node.context {
      count = node.count
      form = .separate(node)
      return
    }
    let ends = try Node(bytes, try node.child(0, "where texts end"), isCounted: isCounted)
    let content = try Node(bytes, try node.child(1, "the bytes of texts"), isCounted: isCounted)
    var nulls: Node?
    if let ref = try node.ref(at: 2) {
      let marks = try Node(bytes, ref, isCounted: isCounted)
      try marks.checkCount(ends.count, "which texts are null")
      nulls = marks
    }
    count = ends.count
    form = .joined(
      ends: ends, bytes: content, nulls: nulls, nullSign: isLegacy && isText ? 0 : 1)
  }

  /// The bytes of a value; nil for null.
  func withBytes<Result>(
    at index: Int, in bytes: RealmBytes,
    _ body: (UnsafeRawBufferPointer?) throws(RealmError) -> Result
  ) throws(RealmError) -> Result {
    switch form {
    case .short(let node):
      guard index >= 0, index < node.count else {
        throw RealmError("there is no text at place \(index)", at: node.offset)
      }
      let empty = UnsafeRawBufferPointer(start: node.payload, count: 0)
      guard node.width > 0 else { return try body(isNullable ? nil : empty) }
      let start = index * node.width
      let padding = Int(node.payload.load(fromByteOffset: start + node.width - 1, as: UInt8.self))
      if padding == node.width { return try body(isNullable ? nil : empty) }
      guard padding < node.width else {
        throw RealmError("a text is longer than its slot", at: node.offset)
      }
      return try body(try node.bytes(start, start + node.width - 1 - padding))
    case .joined(let ends, let content, let nulls, let nullSign):
      if let nulls, (try nulls.integer(at: index) != 0 ? 1 : 0) == nullSign {
        return try body(nil)
      }
      let start = index > 0 ? try ends.integer(at: index - 1) : 0
      let end = try ends.integer(at: index)
      let size = Int64(content.count * max(1, content.width))
      if mayLackEnd, start >= 0, end == start, end <= size {
        return try body(UnsafeRawBufferPointer(start: content.payload, count: 0))
      }
      // Compared before anything is subtracted, because a damaged file may have any number here.
      guard start >= 0, end >= Int64(trailing), end - Int64(trailing) >= start,
        end - Int64(trailing) <= size
      else { throw RealmError("a text ends before it begins", at: ends.offset) }
      return try body(try content.bytes(Int(start), Int(end) - trailing))
    case .separate(let node):
      guard index < node.count, let ref = try node.ref(at: index) else { return try body(nil) }
      let blob = try Node(bytes, ref)
      guard blob.context || blob.hasRefs else {
        return try body(try blob.bytes(0, try size(of: blob.count, at: ref)))
      }
      let joined = try Self.joined(blob, in: bytes)
      return try Self.with(joined, count: try size(of: joined.count, at: ref), body)
    case .enumerated(let node, let list):
      let number = try node.integer(at: index)
      guard case .strings(let leaf, let place)? = try list.place(of: Int(clamping: number)) else {
        throw RealmError("a text is said to be number \(number) of its column", at: node.offset)
      }
      return try leaf.withBytes(at: place, in: bytes, body)
    }
  }

  /// The bytes of a value that has a node of its own, without the zero behind it.
  private func size(of count: Int, at ref: Int) throws(RealmError) -> Int {
    if mayLackEnd, count == 0 { return 0 }
    guard count >= trailing else { throw RealmError("a text has no end", at: ref) }
    return count - trailing
  }

  private static func with<Result>(
    _ array: [UInt8], count: Int, _ body: (UnsafeRawBufferPointer?) throws(RealmError) -> Result
  ) throws(RealmError) -> Result {
    let result = array.withUnsafeBytes { buffer in
      Swift.Result { () throws(RealmError) in
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    return try result.get()
  }

  /// A blob of several nodes, each of 16 MB at most.
  private static func joined(_ list: Node, in bytes: RealmBytes) throws(RealmError) -> [UInt8] {
    var result: [UInt8] = []
    for index in 0..<list.count {
      let part = try Node(bytes, try list.child(index, "a part of a blob"))
      // More than the file has is not in it.
      guard result.count + part.count <= bytes.count else {
        throw RealmError("a blob is longer than its file", at: list.offset)
      }
      result.append(contentsOf: try part.bytes(0, part.count))
    }
    return result
  }

  func text(at index: Int, in bytes: RealmBytes) throws(RealmError) -> RealmValue {
    try withBytes(at: index, in: bytes) { (content) throws(RealmError) in
      guard let content else { return .null }
      try charge(content.count, in: bytes)
      if let text = String(validating: content, as: UTF8.self) { return .string(text) }
      return .damagedText(Array(content))
    }
  }

  func data(at index: Int, in bytes: RealmBytes) throws(RealmError) -> RealmValue {
    try withBytes(at: index, in: bytes) { (content) throws(RealmError) in
      guard let content else { return .null }
      try charge(content.count, in: bytes)
      return .data(Array(content))
    }
  }

  /// Many rows may have one text of the column's different ones, which is no sign of damage.
  private func charge(_ count: Int, in bytes: RealmBytes) throws(RealmError) {
    if case .enumerated = form { return }
    try bytes.charge(copied: count)
  }
}
