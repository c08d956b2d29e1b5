import StrataSchema

/// What values of type Mixed need of their file: which table a key is.
final class MixedContext {
  /// Table key → number of the table. Filled when all tables are known.
  var tables: [UInt64: Int] = [:]
}

/// Values that say their type themselves.
struct MixedLeaf {
  /// Collections inside of one another at most; Realm allows 100.
  static let maximumDepth = 128

  /// What a value is, in the lowest five bits, less one.
  private enum Kind: Int64 {
    case int = 0
    case bool = 1
    case string = 2
    case binary = 4
    case timestamp = 8
    case float = 9
    case double = 10
    case decimal = 11
    case link = 12
    case objectID = 15
    case typedLink = 16
    case uuid = 17
    case list = 19
    case dictionary = 21
  }

  private let composite: Node
  private let numbers: Node?
  private let pairs: Node?
  private let strings: StringLeaf?
  private let refs: Node?
  private let context: MixedContext
  private let depth: Int

  var count: Int { composite.count }

  init(
    _ bytes: RealmBytes, _ ref: Int, _ context: MixedContext, depth: Int = 0
  ) throws(RealmError) {
    let node = try Node(bytes, ref)
    guard node.hasRefs, !node.isInner else {
      throw RealmError("values of type Mixed are expected", at: ref)
    }
    func child(_ index: Int) throws(RealmError) -> Node? {
      guard let ref = try node.ref(at: index) else { return nil }
      return try Node(bytes, ref)
    }
    composite = try Node(bytes, try node.child(0, "the types of values"))
    numbers = try child(1)
    pairs = try child(2)
    if let ref = try node.ref(at: 3) {
      // What ends a text of a text column also ends what stands here, blobs included.
      strings = try StringLeaf(bytes, ref, isText: true, isNullable: true, isLegacy: false)
    } else {
      strings = nil
    }
    refs = try child(4)
    self.context = context
    self.depth = depth
  }

  func value(at index: Int, in bytes: RealmBytes) throws(RealmError) -> RealmValue {
    let bits = try composite.integer(at: index)
    if bits == 0 { return .null }
    guard let kind = Kind(rawValue: (bits & 31) - 1) else {
      throw RealmError("a value is of unknown type \((bits & 31) - 1)", at: composite.offset)
    }
    let slot = bits >> 5 & 7
    let place = bits >> 8
    switch kind {
    case .int: return .int(slot == 0 ? place : try number(place))
    case .bool: return .bool(place != 0)
    case .float: return .float(UInt32(truncatingIfNeeded: try number(place)))
    case .double: return .double(UInt64(bitPattern: try number(place)))
    case .string: return try text(place, in: bytes)
    case .binary: return .data(try content(place, in: bytes))
    case .objectID:
      guard let value = ObjectIDValue(bytes: try content(place, in: bytes)) else {
        throw wrong("an object ID")
      }
      return .objectID(value)
    case .uuid:
      guard let value = UUIDValue(bytes: try content(place, in: bytes)) else {
        throw wrong("a UUID")
      }
      return .uuid(value)
    case .timestamp:
      let (seconds, nanoseconds) = try pair(place)
      return .date(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal:
      let (low, high) = try pair(place)
      return .decimal(RealmDecimal(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)))
    case .typedLink:
      let (table, key) = try pair(place)
      return RealmLink.value(
        table: context.tables[UInt64(bitPattern: table)] ?? -1, key: key)
    case .link: throw wrong("a link with its table")
    case .list: return .list(try list(place, in: bytes))
    case .dictionary: return .dictionary(try dictionary(place, in: bytes))
    }
  }

  private func wrong(_ what: String) -> RealmError {
    RealmError("\(what) is expected in a value of type Mixed", at: composite.offset)
  }

  private func number(_ place: Int64) throws(RealmError) -> Int64 {
    guard let numbers else { throw wrong("a number") }
    return try numbers.integer(at: Int(place))
  }

  private func pair(_ place: Int64) throws(RealmError) -> (Int64, Int64) {
    guard let pairs, place >= 0, place < pairs.count else { throw wrong("a pair of numbers") }
    return (try pairs.integer(at: 2 * Int(place)), try pairs.integer(at: 2 * Int(place) + 1))
  }

  private func text(_ place: Int64, in bytes: RealmBytes) throws(RealmError) -> RealmValue {
    guard let strings, place >= 0, place < strings.count else { throw wrong("a text") }
    return try strings.text(at: Int(place), in: bytes)
  }

  private func content(_ place: Int64, in bytes: RealmBytes) throws(RealmError) -> [UInt8] {
    guard let strings, place >= 0, place < strings.count,
      case .data(let content) = try strings.data(at: Int(place), in: bytes)
    else { throw wrong("bytes") }
    return content
  }

  // MARK: - Collections

  private func root(_ place: Int64) throws(RealmError) -> Int {
    guard depth < Self.maximumDepth else {
      throw RealmError(
        "collections stand inside of one another more than \(Self.maximumDepth) times",
        at: composite.offset)
    }
    guard let refs, place >= 0 else { throw wrong("a collection") }
    return try refs.ref(at: Int(place)) ?? 0
  }

  private func list(_ place: Int64, in bytes: RealmBytes) throws(RealmError) -> [RealmValue] {
    try Self.values(try root(place), bytes, context, depth: depth + 1)
  }

  private func dictionary(
    _ place: Int64, in bytes: RealmBytes
  ) throws(RealmError) -> [RealmEntry] {
    let ref = try root(place)
    if ref == 0 { return [] }
    let node = try Node(bytes, ref)
    let keys = try ElementTree(bytes, try node.ref(at: 0) ?? 0, RealmColumn.keyKind)
    let values = try Self.values(try node.ref(at: 1) ?? 0, bytes, context, depth: depth + 1)
    guard keys.count == values.count else {
      throw RealmError("a dictionary has \(keys.count) keys and \(values.count) values", at: ref)
    }
    var result: [RealmEntry] = []
    for (index, value) in values.enumerated() {
      result.append(RealmEntry(key: try keys.value(at: index).keyText, value: value))
    }
    return result
  }

  /// All elements of a tree of such values.
  private static func values(
    _ ref: Int, _ bytes: RealmBytes, _ context: MixedContext, depth: Int
  ) throws(RealmError) -> [RealmValue] {
    if ref == 0 { return [] }
    var seen: Set<Int> = []
    return try values(ref, bytes, context, depth: depth, &seen, treeDepth: 0)
  }

  private static func values(
    _ ref: Int, _ bytes: RealmBytes, _ context: MixedContext, depth: Int, _ seen: inout Set<Int>,
    treeDepth: Int
  ) throws(RealmError) -> [RealmValue] {
    guard treeDepth < ElementTree.maximumDepth else {
      throw RealmError("a tree is deeper than \(ElementTree.maximumDepth) nodes", at: ref)
    }
    let node = try Node(bytes, ref)
    var result: [RealmValue] = []
    if node.isInner {
      guard node.count >= 3 else { throw RealmError("a tree has a node without children", at: ref) }
      for index in 1..<node.count - 1 {
        result += try values(
          try ElementTree.child(index, of: node, &seen), bytes, context, depth: depth, &seen,
          treeDepth: treeDepth + 1)
      }
      return result
    }
    let leaf = try MixedLeaf(bytes, ref, context, depth: depth)
    try ElementTree.checkLeaf(ref, leaf.count, bytes)
    for index in 0..<leaf.count { result.append(try leaf.value(at: index, in: bytes)) }
    return result
  }
}

extension RealmValue {
  /// A key of a dictionary; what is no UTF-8 in it is replaced.
  package var keyText: String {
    switch self {
    case .string(let text): text
    case .damagedText(let bytes): String(decoding: bytes, as: UTF8.self)
    default: ""
    }
  }
}
