/// Reads the descriptions of all tables, and then makes them: a link names the key of a table that may come later.
final class TableReader {
  /// Tables of a file at most, as the schema language has it.
  static let maximumTables = 20_000

  private struct Found {
    let name: String
    let top: Node
    let spec: TableSpec
    let key: UInt64
  }

  private let bytes: RealmBytes
  private let isLegacy: Bool
  private let mixed = MixedContext()
  private var found: [Found] = []
  private var names: Set<String> = []
  /// Where the tables found so far and their specifications stand.
  private var places: Set<Int> = []
  /// Key of a table, or its place in an old file → its number.
  private var numbers: [UInt64: Int] = [:]

  init(_ bytes: RealmBytes, format: Int) {
    self.bytes = bytes
    isLegacy = format < 10
  }

  func add(name: String, index: Int, ref: Int) throws(RealmError) {
    guard found.count < Self.maximumTables else {
      throw RealmError("the file has more than \(Self.maximumTables) tables", at: ref)
    }
    guard names.insert(name).inserted else {
      throw RealmError("the file has two tables '\(name)'", at: ref)
    }
    let top = try Node(bytes, ref)
    let spec = try top.child(0, "the columns of a table")
    for place in [ref, spec] where !places.insert(place).inserted {
      throw RealmError("'\(name)' stands where another table does", at: place)
    }
    if !isLegacy, try top.ref(at: 1) != nil {
      throw RealmError("an upgrade of '\(name)' by Realm was interrupted", at: ref)
    }
    let key = isLegacy ? UInt64(index) : try top.tagged(at: 3) ?? UInt64(index)
    numbers[key] = found.count
    found.append(
      Found(
        name: name, top: top,
        spec: try TableSpec(bytes, spec, isLegacy: isLegacy),
        key: key))
  }

  func tables() throws(RealmError) -> [RealmTable] {
    mixed.tables = numbers
    var result: [RealmTable] = []
    for table in found { result.append(isLegacy ? try old(table) : try current(table)) }
    return result
  }

  // MARK: - From format 10 on

  private func current(_ table: Found) throws(RealmError) -> RealmTable {
    let opposite = try table.top.ref(at: 7).map { (ref) throws(RealmError) in try Node(bytes, ref) }
    var columns: [RealmColumn] = []
    for spec in table.spec.columns where spec.isPublic {
      var target = -1
      if [.link, .linkList].contains(spec.type), let opposite, spec.leafIndex < opposite.count {
        let key = UInt64(bitPattern: try opposite.integer(at: spec.leafIndex))
        target = numbers[key] ?? -1
      }
      columns.append(try column(spec, target: target, in: table))
    }
    let tree = try ClusterTree(bytes, try table.top.ref(at: 2) ?? 0)
    let key = try table.top.tagged(at: 11)
    let flags = Int(truncatingIfNeeded: (try table.top.tagged(at: 12) ?? 0) & 3)
    return RealmTable(
      name: table.name, kind: RealmTable.Kind(rawValue: flags) ?? .topLevel, columns: columns,
      primaryKey: key.flatMap { key in
        // No key has the leaf index of no column.
        key == UInt64.max >> 1 ? nil : columns.firstIndex { $0.place == Int(key & 0xFFFF) }
      }, count: tree.count, storage: .clusters(tree), bytes: bytes)
  }

  private func column(
    _ spec: ColumnSpec, target: Int, in table: Found
  ) throws(RealmError) -> RealmColumn {
    let attributes = spec.attributes
    var collection = RealmColumn.Collection.none
    if attributes.isList || spec.type == .linkList { collection = .list }
    if attributes.isSet { collection = .set }
    if attributes.isDictionary { collection = .dictionary }
    let isNullable = attributes.isNullable
    let kind: RealmColumn.Kind
    var leaf: Leaf.Kind
    switch spec.type {
    case .int:
      kind = .int
      leaf = isNullable ? .nullableInt : .int
    case .bool: (kind, leaf) = (.bool, .bool)
    case .string, .stringEnum:
      kind = .string
      var list: ElementTree?
      if let keys = table.spec.enumKeys, let ref = try keys.ref(at: spec.position) {
        list = try ElementTree(
          bytes, ref, .text(isNullable: isNullable, isLegacy: false, list: nil), isSplit: false)
      }
      leaf = .text(isNullable: true, isLegacy: false, list: list)
    case .data: (kind, leaf) = (.data, .data(isLegacy: false))
    case .mixed: (kind, leaf) = (.mixed, .mixed(mixed))
    case .date: (kind, leaf) = (.date, .date)
    case .float: (kind, leaf) = (.float, .float(isNullable: isNullable))
    case .double: (kind, leaf) = (.double, .double(isNullable: isNullable))
    case .decimal: (kind, leaf) = (.decimal, .decimal)
    case .objectID: (kind, leaf) = (.objectID, .objectID)
    case .uuid: (kind, leaf) = (.uuid, .uuid)
    case .link, .linkList:
      kind = .link(table: target)
      leaf = .link(table: target, offset: collection == .none ? 1 : 0)
    default: (kind, leaf) = (.unsupported(spec.number), .int)
    }
    // What a dictionary holds says its type itself, whatever is declared.
    if collection == .dictionary { leaf = .mixed(mixed) }
    var isLink = false
    if case .link = kind { isLink = true }
    return RealmColumn(
      name: spec.name, kind: kind, collection: collection,
      isNullable: isNullable || kind == .mixed
        || isLink && (collection == .none || collection == .dictionary),
      isIndexed: attributes.isIndexed, isFulltext: attributes.isFulltext, place: spec.leafIndex,
      leafKind: leaf)
  }

  // MARK: - Before it

  private func old(_ table: Found) throws(RealmError) -> RealmTable {
    let roots = try Node(bytes, try table.top.child(1, "the content of a table"))
    var columns: [RealmColumn] = []
    var contents: [OldColumn?] = []
    var (root, inner, enumeration) = (0, 0, 0)
    /// Where the first column of backlinks stands; it has an element for each object, as any other.
    var backlinks: Int?
    for spec in table.spec.columns {
      let ref = try roots.ref(at: root) ?? 0
      // Behind a column with an index stands the index.
      root += spec.attributes.isIndexed ? 2 : 1
      var innerPlace = inner
      switch spec.type {
      case .link, .linkList, .table: inner += 1
      case .backlink: inner += 2
      default: innerPlace = -1
      }
      guard spec.isPublic else {
        if backlinks == nil, ref != 0 { backlinks = ref }
        continue
      }
      let isNullable = spec.attributes.isNullable
      let kind: RealmColumn.Kind
      var collection = RealmColumn.Collection.none
      var elementsAreNullable = isNullable
      var leaf = Leaf.Kind.int
      var content: OldColumn?
      func tree(_ kind: Leaf.Kind) throws(RealmError) -> OldColumn {
        leaf = kind
        return OldColumn(.values(try ElementTree(bytes, ref, kind)), in: bytes)
      }
      func lists(isWrapped: Bool) throws(RealmError) -> OldColumn {
        OldColumn(
          .collections(try OldReferences(bytes, ref), isWrapped: isWrapped), in: bytes)
      }
      switch spec.type {
      case .int:
        kind = .int
        content = try tree(isNullable ? .nullableInt : .int)
      case .bool:
        kind = .bool
        content = try tree(isNullable ? .nullableBool : .bool)
      case .string:
        kind = .string
        content = try tree(.text(isNullable: isNullable, isLegacy: true, list: nil))
      case .stringEnum:
        kind = .string
        let keys = try table.spec.enumKeys?.ref(at: enumeration) ?? 0
        enumeration += 1
        let list = try ElementTree(
          bytes, keys, .text(isNullable: isNullable, isLegacy: true, list: nil))
        content = try tree(.text(isNullable: isNullable, isLegacy: true, list: list))
      case .data:
        kind = .data
        content = try tree(.data(isLegacy: true))
      case .date:
        kind = .date
        if ref != 0 { content = try OldColumn.dates(bytes, ref) }
      case .oldDate:
        kind = .date
        content = try tree(.oldDate(isNullable: isNullable))
      case .float:
        kind = .float
        content = try tree(.float(isNullable: isNullable))
      case .double:
        kind = .double
        content = try tree(.double(isNullable: isNullable))
      case .link, .linkList:
        var target = -1
        if let node = table.spec.inner, let index = try node.tagged(at: innerPlace) {
          target = numbers[index] ?? -1
        }
        kind = .link(table: target)
        if spec.type == .link {
          content = try tree(.link(table: target, offset: 1))
        } else {
          collection = .list
          leaf = .link(table: target, offset: 0)
          content = try lists(isWrapped: false)
        }
      case .table:
        collection = .list
        (kind, leaf, elementsAreNullable) = try oldList(table.spec.inner, innerPlace)
        content = try lists(isWrapped: true)
      default: kind = .unsupported(spec.number)
      }
      let isLink = spec.type == .link
      columns.append(
        RealmColumn(
          name: spec.name, kind: kind, collection: collection,
          isNullable: elementsAreNullable || isLink, isIndexed: spec.attributes.isIndexed,
          isFulltext: false, place: spec.position, leafKind: leaf))
      contents.append(content)
    }
    var count = contents.compactMap { $0?.count }.max()
    if count == nil, let backlinks { count = try OldReferences(bytes, backlinks).count }
    let objects = count ?? 0
    for (column, content) in zip(columns, contents) {
      if let content, content.count != objects {
        throw RealmError(
          "'\(column.name)' of '\(table.name)' has \(content.count) values for \(objects) objects",
          at: roots.offset)
      }
    }
    return RealmTable(
      name: table.name, kind: .topLevel, columns: columns, primaryKey: nil, count: objects,
      storage: .trees(contents), bytes: bytes)
  }

  /// The only column of an inner table: a list of scalars.
  private func oldList(
    _ inner: Node?, _ place: Int
  ) throws(RealmError) -> (RealmColumn.Kind, Leaf.Kind, Bool) {
    guard let inner, let ref = try inner.ref(at: place) else {
      return (.unsupported(5), .int, false)
    }
    let spec = try TableSpec(bytes, ref, isLegacy: true)
    guard let element = spec.columns.first, spec.columns.count == 1 else {
      return (.unsupported(5), .int, false)
    }
    let isNullable = element.attributes.isNullable
    switch element.type {
    case .int: return (.int, isNullable ? .nullableInt : .int, isNullable)
    case .bool: return (.bool, isNullable ? .nullableBool : .bool, isNullable)
    case .string:
      return (.string, .text(isNullable: isNullable, isLegacy: true, list: nil), isNullable)
    case .data: return (.data, .data(isLegacy: true), isNullable)
    case .float: return (.float, .float(isNullable: isNullable), isNullable)
    case .double: return (.double, .double(isNullable: isNullable), isNullable)
    case .date: return (.date, .date, isNullable)
    default: return (.unsupported(element.number), .int, false)
    }
  }
}
