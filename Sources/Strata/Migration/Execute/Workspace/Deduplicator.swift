import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Makes one object of those that agree in some properties: the others are deleted, and links to them lead to the one that stays.
struct Deduplicator {
  let database: Database
  /// The version that is read, and the one that is made.
  let source: Schema
  let schema: Schema
  let step: MigrationStep
  let deletion: DraftDeletion

  /// Each duplicate, of all models, and the object that stays in its place.
  private static let pairs = "main.\"_draft duplicates\""
  /// Rows with a link of type `any` that is to be changed, and where it is to lead.
  private static let links = "main.\"_draft redirected\""

  /// Makes the tables; a draft has them from its beginning.
  static func createTables(in database: Database) throws {
    try database.execute("CREATE TABLE \(pairs) (identity INTEGER PRIMARY KEY, keeper INTEGER)")
    try database.execute("CREATE TABLE \(links) (place INTEGER PRIMARY KEY, keeper INTEGER)")
  }

  func run(_ rule: Deduplication, old: Model, new: Model) throws {
    var columns = rule.properties.map(SQL.identifier)
    let keeper = rule.keep == .first ? "min" : "max"
    // Objects without a value are no duplicates of each other, except where they would have the same primary key.
    var condition = ""
    if isAboutKey(rule, of: new, old) {
      let lacks = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
      columns += new.primaryKey.map { name in
        """
        CASE WHEN \(lacks) THEN (SELECT made.\(SQL.identifier(name)) \
        FROM main.\(SQL.identifier(new.name)) AS made WHERE made._row = stored._row) END
        """
      }
    } else {
      condition = columns.map { " AND \($0) IS NOT NULL" }.joined()
    }
    // Only objects that were carried over count: what the step deletes is gone already.
    let statement =
      """
      INSERT INTO \(Self.pairs) SELECT _row, keeper FROM \
      (SELECT _row, \(keeper)(_row) OVER (PARTITION BY \(columns.joined(separator: ", "))) AS keeper \
      FROM source.\(SQL.identifier(old.name)) AS stored NOT INDEXED WHERE _row IN \
      (SELECT _row FROM main.\(SQL.identifier(new.name)))\(condition)) \
      WHERE _row <> keeper ORDER BY _row
      """
    try database.sortingWithLittleMemory { try database.execute(statement) }
    guard database.changes > 0 else { return }
    try redirectInAny(to: new)
    for holder in schema.holders(of: new.name) { try redirect(holder) }
    try deletion.mark(
      new.name,
      selectedBy:
        "identity FROM \(Self.pairs) WHERE identity IN (SELECT _row FROM main.\(SQL.identifier(new.name)))"
    )
    try deletion.deleteWaiting()
  }

  /// Whether the rule is about nothing but properties that become the new primary key, whose values stand in the draft; not where a
  /// block may give them others still.
  private func isAboutKey(_ rule: Deduplication, of new: Model, _ old: Model) -> Bool {
    if step.swiftModels.contains(new.name) { return false }
    let names = new.primaryKey.compactMap { step.renames.oldProperty(of: $0, in: old)?.name }
    return !names.isEmpty && rule.properties.allSatisfy(names.contains)
  }

  private func redirect(_ holder: LinkHolder) throws {
    let name = SQL.identifier(holder.table)
    let column = SQL.identifier(holder.targetColumn)
    try database.execute(
      """
      UPDATE main.\(name) SET \(column) = \
      (SELECT keeper FROM \(Self.pairs) AS pair WHERE pair.identity = main.\(name).\(column)) \
      WHERE \(column) IN (SELECT identity FROM \(Self.pairs))
      """)
    guard database.changes > 0, case .set = holder.property.type else { return }
    // A set that already held the one that stays, or several of its duplicates.
    try database.execute(
      """
      DELETE FROM main.\(name) WHERE rowid IN (SELECT place FROM \
      (SELECT rowid AS place, row_number() OVER (PARTITION BY _owner, \(column)) AS number \
      FROM main.\(name) WHERE \(column) IN (SELECT keeper FROM \(Self.pairs))) WHERE number > 1)
      """)
  }

  /// Lets links of type `any` that lead to duplicates lead to what stays: before a block runs, and after it, because old values that
  /// it sets lead where they did.
  func redirectInAny(to model: Model) throws {
    let links = AnyLinks(database: database, schema: schema)
    for holder in links.holders { try redirect(links, of: holder, to: model.name) }
  }

  private func redirect(_ links: AnyLinks, of holder: LinkHolder, to name: String) throws {
    let (table, column) = (
      "main.\(SQL.identifier(holder.table))", SQL.identifier(holder.targetColumn)
    )
    // Not changed while they are read.
    var hasChanges = false
    try links.forEachLink(of: holder) { place, model, identity in
      guard model == name else { return }
      try database.execute(
        "INSERT INTO \(Self.links) SELECT ?, keeper FROM \(Self.pairs) WHERE identity = ?",
        .integer(place), .integer(identity))
      if database.changes > 0 { hasChanges = true }
    }
    guard hasChanges else { return }
    let changes = try database.prepare("SELECT place, keeper FROM \(Self.links)")
    while try changes.step() {
      try database.execute(
        "UPDATE \(table) SET \(column) = ? WHERE \(holder.placeColumn) = ?",
        .blob(AnyCoding.bytes(ofLinkTo: name, changes.integer(at: 1))),
        .integer(changes.integer(at: 0)))
    }
    try database.execute("DELETE FROM \(Self.links)")
    if case .set = holder.property.type {
      // A set that already held the one that stays.
      try database.execute(
        """
        DELETE FROM \(table) WHERE rowid IN (SELECT place FROM (SELECT rowid AS place, row_number() \
        OVER (PARTITION BY _owner, \(column)) AS number FROM \(table)) WHERE number > 1)
        """)
    }
  }
}
