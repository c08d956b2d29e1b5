import StrataRealm
import StrataSchema

/// A class of a Realm file that a test writes.
package struct FixtureClass {
  package struct Column {
    package var name: String
    /// As `ColumnType` numbers them.
    package var type: Int64
    /// The bits of `ColumnAttributes`.
    package var attributes: Int64 = 0
    /// Number of the table that links lead to.
    package var target: Int64 = 0
    /// The different texts of a column that has a list of them: its values are their numbers.
    package var texts: [[UInt8]]?
    /// Writes the values of some objects, by their numbers.
    package var leaf: (inout RealmWriter, Range<Int>) -> Int64

    package init(
      name: String, type: Int64, attributes: Int64 = 0, target: Int64 = 0,
      texts: [[UInt8]]? = nil,
      leaf: @escaping (inout RealmWriter, Range<Int>) -> Int64
    ) {
      self.name = name
      self.type = type
      self.attributes = attributes
      self.target = target
      self.texts = texts
      self.leaf = leaf
    }
  }

  package var name: String
  package var columns: [Column]
  package var count: Int
  /// The position of the primary key.
  package var primaryKey: Int?
  /// 1 of an embedded class.
  package var flags: UInt64 = 0
  /// Whether the table's name says that it is a class; not of one that a program makes through Realm's core.
  package var isClass = true

  package init(
    name: String, columns: [Column], count: Int, primaryKey: Int? = nil, flags: UInt64 = 0
  ) {
    self.name = name
    self.columns = columns
    self.count = count
    self.primaryKey = primaryKey
    self.flags = flags
  }
}

/// Writes whole files of format 24, as Realm lays them out.
package struct RealmFixture {
  package var classes: [FixtureClass]
  package var schemaVersion: Int64? = 7
  /// Objects of a cluster.
  package var clusterSize = 256
  /// Whether keys are written out, as they are once objects were deleted: every other one is missing.
  package var hasGaps = false

  package init(
    classes: [FixtureClass], schemaVersion: Int64? = 7, clusterSize: Int = 256,
    hasGaps: Bool = false
  ) {
    self.classes = classes
    self.schemaVersion = schemaVersion
    self.clusterSize = clusterSize
    self.hasGaps = hasGaps
  }

  private var all: [FixtureClass] {
    guard let schemaVersion else { return classes }
    let metadata = FixtureClass(
      name: "metadata",
      columns: [.init(name: "version", type: 0) { writer, _ in writer.integers([schemaVersion]) }],
      count: 1)
    return classes + [metadata]
  }

  package func nodes() -> (writer: RealmWriter, top: Int64) {
    var writer = RealmWriter()
    let tables = all.enumerated().map { table($1, key: $0, &writer) }
    let names = writer.texts(
      all.map { entry in
        let isClass = entry.isClass && entry.name != "metadata"
        return Array((isClass ? "class_" : "").utf8) + Array(entry.name.utf8)
      })
    let list = writer.refs(tables)
    let top = writer.refs([names, list, RealmWriter.tagged(4096)])
    return (writer, top)
  }

  package var file: [UInt8] {
    let (writer, top) = nodes()
    return writer.file(top: top, format: 24)
  }

  /// The key of an object, by its number.
  package static func key(of object: Int, hasGaps: Bool, clusterSize: Int) -> UInt64 {
    // A cluster's keys begin where 256 times its number is.
    let (cluster, local) = object.quotientAndRemainder(dividingBy: clusterSize)
    return UInt64(cluster * 256 + (hasGaps ? 2 * local + 1 : local))
  }

  private func table(_ entry: FixtureClass, key: Int, _ writer: inout RealmWriter) -> Int64 {
    let columns = entry.columns
    let types = writer.integers(columns.map(\.type))
    let names = writer.texts(columns.map { Array($0.name.utf8) })
    let attributes = writer.integers(columns.map(\.attributes))
    let keys = writer.integers(columns.indices.map { Int64($0) | columns[$0].type << 16 })
    var lists: Int64 = 0
    if columns.contains(where: { $0.texts != nil }) {
      let refs = columns.map { column in column.texts.map { writer.texts($0) } ?? 0 }
      lists = writer.refs(refs)
    }
    let spec = writer.refs([types, names, attributes, 0, lists, keys])
    let opposite = writer.integers(columns.map(\.target))
    var clusters: [Int64] = []
    for start in stride(from: 0, to: max(1, entry.count), by: clusterSize) {
      let objects = start..<min(entry.count, start + clusterSize)
      var local = RealmWriter.tagged(UInt64(objects.count))
      if hasGaps {
        local = writer.integers(
          objects.indices.map { Int64(2 * ($0 - start) + 1) }, isUnsigned: true)
      }
      let leaves = columns.map { $0.leaf(&writer, objects) }
      clusters.append(writer.refs([local] + leaves))
    }
    var root = clusters[0]
    if clusters.count > 1 {
      root = writer.refs(
        [0, RealmWriter.tagged(1), RealmWriter.tagged(UInt64(entry.count))] + clusters,
        flags: RealmWriter.inner)
    }
    return writer.refs([
      spec, 0, root, RealmWriter.tagged(UInt64(key)), 0, RealmWriter.tagged(0),
      RealmWriter.tagged(0), opposite, 0, RealmWriter.tagged(0), 0,
      entry.primaryKey.map { RealmWriter.tagged(UInt64($0)) } ?? 0,
      RealmWriter.tagged(entry.flags),
    ])
  }
}
