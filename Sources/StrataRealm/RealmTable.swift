/// A table of a Realm file: a class with its objects, or something that Realm keeps for itself.
package final class RealmTable {
  package enum Kind: Int, Sendable {
    case topLevel = 0
    case embedded = 1
    case asymmetric = 2
  }

  /// What Realm calls the table: `class_Person` for objects of the class Person.
  package let name: String
  package let kind: Kind
  package let columns: [RealmColumn]
  /// The position in `columns` of the primary key.
  package internal(set) var primaryKey: Int?
  /// How many objects there are.
  package let count: Int
  let storage: Storage
  let bytes: RealmBytes

  enum Storage {
    case clusters(ClusterTree)
    /// One tree a column, nil for one that cannot be read.
    case trees([OldColumn?])
  }

  init(
    name: String, kind: Kind, columns: [RealmColumn], primaryKey: Int?, count: Int,
    storage: Storage, bytes: RealmBytes
  ) {
    self.name = name
    self.kind = kind
    self.columns = columns
    self.primaryKey = primaryKey
    self.count = count
    self.storage = storage
    self.bytes = bytes
  }

  private static let classPrefix = "class_"

  /// The name of the class whose objects these are; nil for a table of Realm's own.
  package var className: String? {
    guard name.hasPrefix(Self.classPrefix) else { return nil }
    let name = name.dropFirst(Self.classPrefix.count)
    return name.isEmpty || name.hasPrefix("__") ? nil : String(name)
  }

  /// Whether Realm or its synchronization made the table for itself.
  package var isOfRealm: Bool {
    if className != nil { return false }
    return ["metadata", "pk"].contains(name) || name.hasPrefix("class___")
      || name.hasPrefix("flx_") || name.hasPrefix("sync_") || name.hasPrefix("client_reset")
      || name.hasPrefix("!")
  }

  /// How many objects come before the one with a key; nil where the table has no such object.
  package func rank(of key: UInt64) throws(RealmError) -> Int? {
    switch storage {
    case .clusters(let tree): try tree.rank(of: key, in: bytes)
    case .trees: key < UInt64(count) ? Int(key) : nil
    }
  }

  /// Reads all objects in their order, some at once.
  package func forEachChunk(_ body: (RealmChunk) throws -> Void) throws {
    switch storage {
    case .clusters(let tree):
      for cluster in tree.clusters {
        try bytes.releaseIfMany()
        try body(try RealmChunk(self, cluster))
      }
    case .trees(let columns):
      for first in stride(from: 0, to: count, by: ClusterTree.maximumObjects) {
        try bytes.releaseIfMany()
        try body(
          RealmChunk(
            self, columns, first: first, count: min(ClusterTree.maximumObjects, count - first)))
      }
    }
  }
}
