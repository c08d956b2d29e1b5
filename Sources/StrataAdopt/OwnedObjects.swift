import StrataRealm
import StrataSchema

/// Which embedded objects of a Realm file belong to an object that is brought over.
///
/// Realm keeps the embedded objects of a property that an app has removed, and no object leads to them any more. Here they can belong
/// to nothing.
struct OwnedObjects {
  /// One bit an object, by the place of its class; a class that is not embedded has none, and all of its objects belong to themselves.
  private var marks: [Int: [UInt64]] = [:]
  private var hasNew = false

  init(_ source: RealmSource, proceed: () throws -> Void) throws {
    let embedded = source.classes.indices.filter {
      source.classes[$0].model.isEmbedded && source.classes[$0].table.count > 0
    }
    guard !embedded.isEmpty else { return }
    clear(embedded, source)
    for place in source.classes.indices { try mark(place, source, proceed, ofAll: true) }
    if embedded.allSatisfy({ countWithoutOwner($0, source) == 0 }) { return }
    // What an object without an owner embeds has none either.
    clear(embedded, source)
    for place in source.classes.indices where !source.classes[place].model.isEmbedded {
      try mark(place, source, proceed, ofAll: true)
    }
    repeat {
      hasNew = false
      for place in embedded { try mark(place, source, proceed, ofAll: false) }
    } while hasNew
  }

  /// - Parameter rank: how many objects of the class come before.
  func contains(_ place: Int, _ rank: Int) -> Bool {
    guard let bits = marks[place] else { return true }
    return bits[rank / 64] >> UInt64(rank % 64) & 1 != 0
  }

  /// How many objects of a class belong to nothing.
  func countWithoutOwner(_ place: Int, _ source: RealmSource) -> Int {
    guard let bits = marks[place] else { return 0 }
    return source.classes[place].table.count - bits.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  private mutating func clear(_ embedded: [Int], _ source: RealmSource) {
    for place in embedded {
      marks[place] = [UInt64](repeating: 0, count: source.classes[place].table.count / 64 + 1)
    }
  }

  /// Marks what the objects of a class embed.
  ///
  /// - Parameter ofAll: whether those without an owner count, too.
  private mutating func mark(
    _ place: Int, _ source: RealmSource, _ proceed: () throws -> Void, ofAll: Bool
  ) throws {
    let entry = source.classes[place]
    func embeds(_ property: Property) -> Bool {
      guard let target = property.type.linkedModel else { return false }
      return source.history.versions[0].schema.model(named: target)?.isEmbedded == true
    }
    let columns = entry.columns.filter { embeds($0.property) }
    let collections = entry.collections.filter { embeds($0.property) }
    guard !columns.isEmpty || !collections.isEmpty else { return }
    source.file.beginReading()
    try entry.table.forEachChunk { chunk in
      try proceed()
      for row in 0..<chunk.count where ofAll || contains(place, chunk.first + row) {
        for (column, property) in columns {
          try note(try chunk.value(column, row), property, source)
        }
        for (column, property) in collections {
          try chunk.forEachElement(column, row) { _, value in try note(value, property, source) }
        }
      }
    }
  }

  private mutating func note(
    _ value: RealmValue, _ property: Property, _ source: RealmSource
  ) throws {
    guard case .link(let link) = value, let target = source.placeOfTable[link.table],
      source.classes[target].model.name == property.type.linkedModel,
      let rank = try source.classes[target].table.rank(of: link.key), !contains(target, rank)
    else { return }
    marks[target]?[rank / 64] |= 1 << UInt64(rank % 64)
    hasNew = true
  }
}
