import StrataSchema

/// The values of one column for some rows, or some elements of a collection.
enum Leaf {
  /// What decides how a leaf is read.
  indirect enum Kind {
    case int
    case nullableInt
    case bool
    /// Before format 10, where it is a nullable number.
    case nullableBool
    case float(isNullable: Bool)
    case double(isNullable: Bool)
    case text(isNullable: Bool, isLegacy: Bool, list: ElementTree?)
    case data(isLegacy: Bool)
    case date
    /// Whole seconds, what formats up to 4 have.
    case oldDate(isNullable: Bool)
    case decimal
    case objectID
    case uuid
    /// - Parameter offset: what is added to the key, so that 0 is no object.
    case link(table: Int, offset: Int64)
    case mixed(MixedContext)
    /// References to a collection each.
    case collection
  }

  /// What whole numbers stand for.
  enum Meaning {
    case int
    case bool
    case oldDate
  }

  case numbers(Node, Meaning)
  /// The first element is the number that stands for null.
  case optionalNumbers(Node, null: Int64, Meaning)
  case truths(Node)
  case floats(Node, isNullable: Bool)
  case doubles(Node, isNullable: Bool)
  case strings(StringLeaf)
  case blobs(StringLeaf)
  case dates(seconds: Node, null: Int64, nanoseconds: Node)
  case decimals(Node)
  case fixed(Node, size: Int, count: Int, isUUID: Bool)
  case links(Node, table: Int, offset: Int64)
  case mixed(MixedLeaf)
  case collections(Node)
  /// A column that the cluster does not have: everything is null, or zero.
  case absent(RealmValue, count: Int)

  init(_ kind: Kind, _ bytes: RealmBytes, _ ref: Int) throws(RealmError) {
    switch kind {
    case .text(let isNullable, let isLegacy, let list):
      self = .strings(
        try StringLeaf(
          bytes, ref, isText: true, isNullable: isNullable, isLegacy: isLegacy, list: list))
      return
    case .data(let isLegacy):
      self = .blobs(
        try StringLeaf(bytes, ref, isText: false, isNullable: true, isLegacy: isLegacy))
      return
    case .mixed(let context):
      self = .mixed(try MixedLeaf(bytes, ref, context))
      return
    default: break
    }
    let node = try Node(bytes, ref)
    func expect(_ isRight: Bool) throws(RealmError) {
      guard isRight, !node.isInner else {
        throw RealmError("the values of a column are of another type", at: ref)
      }
    }
    func optional(_ meaning: Meaning) throws(RealmError) -> Leaf {
      .optionalNumbers(node, null: node.count > 0 ? try node.integer(at: 0) : 0, meaning)
    }
    switch kind {
    case .int, .nullableInt, .bool, .nullableBool, .oldDate, .link:
      try expect(node.widthKind == .bits && !node.hasRefs)
    default: break
    }
    switch kind {
    case .int: self = .numbers(node, .int)
    case .nullableInt: self = try optional(.int)
    case .bool: self = .truths(node)
    case .nullableBool: self = try optional(.bool)
    case .oldDate(let isNullable):
      self = isNullable ? try optional(.oldDate) : .numbers(node, .oldDate)
    case .float(let isNullable):
      try expect(node.widthKind == .bytes && node.width == 4 || node.count == 0)
      self = .floats(node, isNullable: isNullable)
    case .double(let isNullable):
      try expect(node.widthKind == .bytes && node.width == 8 || node.count == 0)
      self = .doubles(node, isNullable: isNullable)
    case .date:
      try expect(node.hasRefs)
      let seconds = try Node(bytes, try node.child(0, "the seconds of dates"))
      let nanoseconds = try Node(bytes, try node.child(1, "the nanoseconds of dates"))
      try nanoseconds.checkCount(max(0, seconds.count - 1), "nanoseconds")
      self = .dates(
        seconds: seconds, null: seconds.count > 0 ? try seconds.integer(at: 0) : 0,
        nanoseconds: nanoseconds)
    case .decimal:
      try expect(!node.hasRefs && [0, 4, 8, 16].contains(node.width) && node.widthKind != .blob)
      try expect(node.width == 0 || node.widthKind == .bytes)
      self = .decimals(node)
    case .objectID, .uuid:
      try expect(!node.hasRefs && (node.widthKind == .bytes && node.width <= 1))
      var size = 12
      if case .uuid = kind { size = 16 }
      let bytes = node.width == 0 ? 0 : node.count
      // Each eight values begin with a byte that says which are null.
      let count = (bytes - (bytes + 8 * size) / (8 * size + 1)) / size
      self = .fixed(node, size: size, count: count, isUUID: size == 16)
    case .link(let table, let offset):
      self = .links(node, table: table, offset: offset)
    case .collection:
      try expect(node.hasRefs || node.count == 0 || node.width == 0)
      self = .collections(node)
    case .text, .data, .mixed: self = .absent(.null, count: 0)
    }
  }

  var count: Int {
    switch self {
    case .numbers(let node, _), .truths(let node), .decimals(let node), .floats(let node, _),
      .doubles(let node, _), .links(let node, _, _), .collections(let node):
      node.count
    case .optionalNumbers(let node, _, _): max(0, node.count - 1)
    case .dates(let seconds, _, _): max(0, seconds.count - 1)
    case .strings(let leaf), .blobs(let leaf): leaf.count
    case .fixed(_, _, let count, _): count
    case .mixed(let leaf): leaf.count
    case .absent(_, let count): count
    }
  }

  func value(at index: Int, in bytes: RealmBytes) throws(RealmError) -> RealmValue {
    switch self {
    case .numbers(let node, let meaning): return meaning.value(of: try node.integer(at: index))
    case .optionalNumbers(let node, let null, let meaning):
      let value = try node.integer(at: index + 1)
      return value == null ? .null : meaning.value(of: value)
    case .truths(let node):
      let value = try node.integer(at: index)
      return value == 3 ? .null : .bool(value != 0)
    case .floats(let node, let isNullable):
      let bits = try Self.load(UInt32.self, node, index)
      return isNullable && bits == 0x7FC0_00AA ? .null : .float(bits)
    case .doubles(let node, let isNullable):
      let bits = try Self.load(UInt64.self, node, index)
      return isNullable && bits == 0x7FF8_0000_0000_00AA ? .null : .double(bits)
    case .strings(let leaf): return try leaf.text(at: index, in: bytes)
    case .blobs(let leaf): return try leaf.data(at: index, in: bytes)
    case .dates(let seconds, let null, let nanoseconds):
      let value = try seconds.integer(at: index + 1)
      if value == null { return .null }
      return .date(seconds: value, nanoseconds: try nanoseconds.integer(at: index))
    case .decimals(let node): return try Self.decimal(node, index)
    case .fixed(let node, let size, let count, let isUUID):
      guard index < count else { throw Self.missing(node, index) }
      return try Self.fixed(node, index, size: size, isUUID: isUUID)
    case .links(let node, let table, let offset):
      let value = try node.integer(at: index)
      return RealmLink.value(table: table, key: value &- offset)
    case .mixed(let leaf): return try leaf.value(at: index, in: bytes)
    case .collections(let node): throw Self.missing(node, index)
    case .absent(let value, _): return value
    }
  }

  private static func missing(_ node: Node, _ index: Int) -> RealmError {
    RealmError("there is no value at place \(index)", at: node.offset)
  }

  private static func load<Number: FixedWidthInteger>(
    _ type: Number.Type, _ node: Node, _ index: Int
  ) throws(RealmError) -> Number {
    let size = MemoryLayout<Number>.size
    guard index >= 0, index < node.count else { throw missing(node, index) }
    let place = try node.bytes(index * size, (index + 1) * size)
    return Number(littleEndian: place.loadUnaligned(as: Number.self))
  }

  private static func decimal(_ node: Node, _ index: Int) throws(RealmError) -> RealmValue {
    let value: RealmDecimal
    switch node.width {
    case 0:
      guard index < node.count else { throw missing(node, index) }
      return node.context ? .decimal(RealmDecimal(UInt64(398) << 53)) : .null
    case 4: value = RealmDecimal(try load(UInt32.self, node, index))
    case 8: value = RealmDecimal(try load(UInt64.self, node, index))
    default:
      guard index >= 0, index < node.count else { throw missing(node, index) }
      let place = try node.bytes(16 * index, 16 * index + 16)
      value = RealmDecimal(
        high: UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        low: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
    }
    return value == .null ? .null : .decimal(value)
  }

  private static func fixed(
    _ node: Node, _ index: Int, size: Int, isUUID: Bool
  ) throws(RealmError) -> RealmValue {
    let group = index / 8 * (8 * size + 1)
    let nulls = try node.bytes(group, group + 1)[0]
    if nulls >> UInt8(index % 8) & 1 != 0 { return .null }
    let start = group + 1 + index % 8 * size
    let content = try node.bytes(start, start + size)
    if isUUID { return UUIDValue(bytes: content).map { .uuid($0) } ?? .null }
    return ObjectIDValue(bytes: content).map { .objectID($0) } ?? .null
  }
}

extension Leaf.Meaning {
  func value(of number: Int64) -> RealmValue {
    switch self {
    case .int: .int(number)
    case .bool: .bool(number != 0)
    case .oldDate: .date(seconds: number, nanoseconds: 0)
    }
  }
}
