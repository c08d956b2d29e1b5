import StrataSQLite
import StrataSchema

/// What is known of the links that wait for one property.
struct WaitingLinks {
  /// Those of lines that were taken back, and that a later line has set anew, count, too.
  private(set) var count = 0
  /// The model of the objects to which all lead, by the names that lines give them; nil where that is not so.
  private(set) var target: Int?
  /// Whether all are of objects that this import has made.
  private(set) var areOfNewObjects = true

  mutating func add(target: Int?, isOfNewObject: Bool) {
    self.target = count == 0 || self.target == target ? target : nil
    if !isOfNewObject { areOfNewObjects = false }
    count += 1
  }
}

/// Many links of one property at once, which take longer one after the other (docs/decisions/0151).
extension ImportedLinks {
  /// A statement for the links of one property reads those of all.
  private static let leastPart = 8

  /// Takes off the indexes of properties for which many links wait.
  func takeOffIndexes() throws -> TakenOffIndexes {
    var indexes = TakenOffIndexes(store.database)
    for (model, properties) in waiting.enumerated() {
      guard let access = store.accesses[model] else { continue }
      for (property, links) in properties.enumerated() where links.count >= manyLinks {
        let name = "\(access.model.name).\(access.model.properties[property].name).link"
        guard let index = access.layout.indexes.first(where: { $0.name == name }), !index.isUnique
        else { continue }
        try indexes.takeOff(index, before: links.count)
      }
    }
    return indexes
  }

  /// Makes the links of collections for which many wait.
  ///
  /// - Returns: the properties of which all links are made.
  func makeTogether() throws -> [(model: Int, property: Int)] {
    let least = max(manyLinks, waiting.joined().reduce(0) { $0 + $1.count } / Self.leastPart)
    var made: [(model: Int, property: Int)] = []
    for (model, properties) in waiting.enumerated() {
      for (property, links) in properties.enumerated() where links.count >= least {
        if try makeTogether(links, of: model, property) { made.append((model, property)) }
      }
    }
    return made
  }

  /// - Returns: false where they have to be made one after the other, which also tells the line of a link to nothing.
  private func makeTogether(
    _ links: WaitingLinks, of model: Int, _ property: Int
  ) throws -> Bool {
    // Of an embedded object that another one has replaced no link may be made, and links of objects of the file are changes.
    guard links.areOfNewObjects, let target = links.target, let names = names[target]?.table,
      let access = store.accesses[model], !access.isEmbedded || !hasUpdates,
      access.targets[property] != nil, let table = access.collectionTables[property]
    else { return false }
    var isSet = false
    if case .set = access.model.properties[property].type { isSet = true }
    // Text in the place of a missing identity: the table is STRICT, and refuses it. A condition, because SELECT … ON CONFLICT would be
    // read as a join; a limit, because SQLite would else sort what it has joined.
    let statement = try store.database.prepare(
      """
      INSERT INTO \(table.quotedName) (_owner, value\(isSet ? "" : ", _index")) \
      SELECT owner, ifnull(name.identity, 'none')\(isSet ? "" : ", place") FROM ( \
      SELECT owner, place, value FROM \(Self.links) WHERE model = \(model) AND property = \(property) \
      AND number > ?1 AND number <= ?2 ORDER BY value LIMIT -1 \
      ) AS link LEFT JOIN \(names) AS name ON name.id = link.value WHERE true ON CONFLICT DO NOTHING
      """)
    do {
      try run(statement)
    } catch {
      // What the statement has written is taken back, and what those before it have written is left as it is by the next ones.
      guard (error as? SQLiteError)?.primaryCode == .constraint else { throw error }
      return false
    }
    return true
  }

  /// Runs a statement for some links after the others, the numbers between which they are as its parameters.
  private func run(_ statement: Statement) throws {
    var last: Int64 = 0
    while last < lastNumber {
      try statement.bind(last, at: 1)
      last += linksAtOnce
      try statement.bind(last, at: 2)
      try statement.run()
    }
  }
}
