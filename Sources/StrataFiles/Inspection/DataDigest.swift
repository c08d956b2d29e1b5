import Strata
package import StrataSQLite
package import StrataSchema

/// The digest of all objects of a database, independent of layout, row order, page layout and identity numbers.
///
/// An object is known by its primary key where it has one, else by its values and by what it links to: every object gets a
/// colour from its own values, and the colours of what it links to are mixed in, round by round, until nothing is told apart
/// any more (colour refinement, the 1-dimensional Weisfeiler–Leman method). Graphs that it cannot tell apart share a digest:
/// what leads to an object does not count, so that holders of equal objects without a key may share one of them or have one each.
///
/// The digest of the database is the sum of its objects' digests modulo 2²⁵⁶, so that no order is needed. Objects are read one
/// after the other, and the colours of those that others link to stand in a temporary table: memory does not grow with them.
package struct DataDigest {
  /// Rounds of refinement at most; each tells apart what is one link further away.
  package static let maximumRounds = 64
  /// Kibibytes of temporary pages that are kept in memory.
  private static let temporaryCacheSize: Int64 = 8192

  private let database: Database
  private let schema: Schema
  private let schemaName: String

  package init(database: Database, schema: Schema, in name: String = "main") {
    self.database = database
    self.schema = schema
    schemaName = name
  }

  /// Reads every object.
  package func compute() throws -> Digest {
    // One state of the file, and one transaction of the temporary tables.
    if database.isInTransaction {
      // Refused where temporary tables are there already, and stand elsewhere.
      _ = try? database.spillTemporaries(cacheSize: Self.temporaryCacheSize)
      return try computeInTransaction()
    }
    try database.spillTemporaries(cacheSize: Self.temporaryCacheSize)
    return try database.transaction(.deferred) { try computeInTransaction() }
  }

  private func computeInTransaction() throws -> Digest {
    try DigestReader.createTable(in: database)
    defer { DigestReader.dropTable(in: database) }
    var sum = DigestSum()
    let targets = linkTargets
    // What others link to, and what links to nothing, is the same before and after colours are known.
    let settled = Set(
      targets.filter { $0.primaryKey.isEmpty && !hasLinks($0) }.map(\.name))
    let colours = targets.isEmpty ? nil : try DigestColours(database)
    defer { colours?.close() }
    if let colours { try refine(targets, settled, colours, &sum) }
    for model in schema.storedModels where !settled.contains(model.name) {
      let reader = try reader(of: model)
      while try reader.next() { sum.add(try reader.digest(colours)) }
    }
    return sum.digest
  }

  private func reader(of model: Model) throws -> DigestReader {
    try DigestReader(model: model, schema: schema, database: database, in: schemaName)
  }

  // MARK: - Colours

  /// Finds the colour of every object that others link to.
  ///
  /// - Parameter settled: models whose objects are hashed but once, and added to the sum at the same time.
  private func refine(
    _ targets: [Model], _ settled: Set<String>, _ colours: DigestColours, _ sum: inout DigestSum
  ) throws {
    // An object with a primary key is its key; what it links to says nothing more of who it is.
    let refined = targets.filter { $0.primaryKey.isEmpty && hasLinks($0) }
    for model in targets where !refined.contains(model) {
      let isSettled = settled.contains(model.name)
      let reader = try reader(of: model)
      while try reader.next() {
        let digest = isSettled ? try reader.digest(nil) : try reader.keyDigest()
        try colours.keep(DigestColour(digest), of: reader.identity)
        if isSettled { sum.add(digest) }
      }
    }
    guard !refined.isEmpty else { return }
    let objects = try colour(refined, nil, colours)
    var count = try colours.countNext()
    try colours.adoptNext()
    for _ in 0..<Self.maximumRounds {
      _ = try colour(refined, colours, colours)
      // Those that all differ never become alike again: there is nothing to count.
      let told = count == objects ? count : try colours.countNext()
      try colours.adoptNext()
      if told == count { break }
      count = told
    }
  }

  /// Works the next colour of each object out; how many objects there are.
  private func colour(
    _ models: [Model], _ known: DigestColours?, _ colours: DigestColours
  ) throws -> Int {
    var objects = 0
    for model in models {
      let reader = try reader(of: model)
      while try reader.next() {
        try colours.keepNext(DigestColour(try reader.digest(known)), of: reader.identity)
        objects += 1
      }
    }
    return objects
  }

  private var linkTargets: [Model] {
    var names = Set(
      schema.storedModels.flatMap { model in
        model.storedProperties.compactMap(\.type.linkedModel)
      })
    let usesAny = schema.storedModels.contains { model in
      model.storedProperties.contains { $0.type.valueType?.base == .scalar(.any) }
    }
    if usesAny { names.formUnion(schema.storedModels.map(\.name)) }
    return schema.storedModels.filter { names.contains($0.name) }
  }

  private func hasLinks(_ model: Model) -> Bool {
    model.storedProperties.contains {
      $0.type.linkedModel != nil || $0.type.valueType?.base == .scalar(.any)
    }
  }
}

/// A sum of digests modulo 2²⁵⁶, each read as a number whose first byte is the lowest.
private struct DigestSum {
  private var words = SIMD4<UInt64>()

  mutating func add(_ digest: SIMD8<UInt32>) {
    var carry: UInt64 = 0
    for word in 0..<4 {
      let value =
        UInt64(digest[2 * word].byteSwapped) | UInt64(digest[2 * word + 1].byteSwapped) << 32
      let (partial, overflow) = words[word].addingReportingOverflow(value)
      let (total, again) = partial.addingReportingOverflow(carry)
      words[word] = total
      carry = overflow || again ? 1 : 0
    }
  }

  var digest: Digest {
    Digest(
      of: (0..<4).flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: words[word] >> (8 * $0)) }
      })
  }
}
