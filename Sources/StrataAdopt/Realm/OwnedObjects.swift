import StrataRealm
import StrataSchema

/// Which embedded objects of a Realm file belong to an object that is brought over.
///
/// Realm keeps the embedded objects of a property that an app has removed, and no object leads to them any more. Here they can belong
/// to nothing. Where several links lead to one, the first of them owns it.
struct OwnedObjects {
  /// Links that lead to embedded objects of another owner, at most: more are no mistake of an app, and would fill memory.
  static let maximumShared = 1_000_000

  /// Where a link to an embedded object stands.
  private struct Claim: Hashable {
    let place: Int
    let column: Int
    let rank: Int
    /// In its collection; 0 of a property that holds one value.
    let element: Int
  }

  /// One bit an object, by the place of its class; a class that is not embedded has none, and all of its objects belong to themselves.
  private var marks: [Int: [UInt64]] = [:]
  /// The same for objects whose own links were followed.
  private var followed: [Int: [UInt64]] = [:]
  private var hasNew = false
  /// Whether two links lead to one object.
  private var hasShared = false
  /// The links that lead to an object of another owner; filled in the second reading, which begins at objects that own themselves.
  private var refused: Set<Claim>?

  init(_ source: RealmSource, proceed: () throws -> Void) throws {
    let embedded = source.classes.indices.filter {
      source.classes[$0].model.isEmbedded && source.classes[$0].table.count > 0
    }
    guard !embedded.isEmpty else { return }
    clear(embedded, source)
    for place in source.classes.indices { try mark(place, source, proceed, ofAll: true) }
    if !hasShared, embedded.allSatisfy({ countWithoutOwner($0, source) == 0 }) { return }
    // What an object without an owner embeds has none either.
    clear(embedded, source)
    followed = marks
    refused = []
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

  /// Whether a link leads to an embedded object that belongs to where another link stands.
  ///
  /// - Parameter element: the place in the collection as it is read; 0 for a property that holds one value.
  func isRefused(_ place: Int, column: Int, rank: Int, element: Int = 0) -> Bool {
    guard let refused, !refused.isEmpty else { return false }
    return refused.contains(Claim(place: place, column: column, rank: rank, element: element))
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
  /// - Parameter ofAll: whether those without an owner count, too; else each object that has one counts once.
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
      for row in 0..<chunk.count {
        let rank = chunk.first + row
        guard ofAll || follow(place, rank) else { continue }
        for (column, property) in columns {
          let claim = Claim(place: place, column: column, rank: rank, element: 0)
          try note(try chunk.value(column, row), property, claim, source)
        }
        for (column, property) in collections {
          var element = 0
          try chunk.forEachElement(column, row) { _, value in
            let claim = Claim(place: place, column: column, rank: rank, element: element)
            element += 1
            try note(value, property, claim, source)
          }
        }
      }
    }
  }

  /// Whether the links of an embedded object are to be followed: it has an owner, and they were not yet.
  private mutating func follow(_ place: Int, _ rank: Int) -> Bool {
    let bit: UInt64 = 1 << UInt64(rank % 64)
    guard contains(place, rank), followed[place].map({ $0[rank / 64] & bit == 0 }) == true else {
      return false
    }
    followed[place]?[rank / 64] |= bit
    return true
  }

  private mutating func note(
    _ value: RealmValue, _ property: Property, _ claim: Claim, _ source: RealmSource
  ) throws {
    guard case .link(let link) = value, let target = source.placeOfTable[link.table],
      source.classes[target].model.name == property.type.linkedModel,
      let rank = try source.classes[target].table.rank(of: link.key)
    else { return }
    guard !contains(target, rank) else {
      hasShared = true
      refused?.insert(claim)
      guard (refused?.count ?? 0) <= Self.maximumShared else {
        throw RealmError(
          "more than \(Self.maximumShared) links lead to embedded objects that have another owner")
      }
      return
    }
    marks[target]?[rank / 64] |= 1 << UInt64(rank % 64)
    hasNew = true
  }
}
