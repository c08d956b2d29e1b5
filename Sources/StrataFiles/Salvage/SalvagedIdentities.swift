import Strata
import StrataSQLite
import StrataSchema

/// Takes objects out of a draft that share their number with an object of another model.
///
/// The numbers come from one counter for all models: where two have the same one, a page of one table was read as that of another. Links
/// to an object and the elements that it has say which it is; where nothing does, none stays.
struct SalvagedIdentities {
  private static let seen = "temp.\"_salvage seen\""
  private static let shared = "temp.\"_salvage shared\""
  private static let claims = "temp.\"_salvage claims\""

  let layout: TableLayout
  let target: Database
  /// Models of which something cannot be read.
  let damaged: Set<String>

  /// An object with a number that others have, too.
  private struct Claim {
    let model: Int
    /// Whether a link leads to it, or it has elements.
    let isHeld: Bool
  }

  /// - Parameter dropped: hears of the objects of a model that fell.
  func run(_ report: inout Salvage.Report, _ dropped: (_ model: Model, _ count: Int) throws -> Void)
    throws
  {
    defer {
      for table in [Self.seen, Self.shared, Self.claims] {
        try? target.execute("DROP TABLE IF EXISTS \(table)")
      }
    }
    guard try findShared() else { return }
    try findClaims()
    let counts = try drop()
    for (number, model) in layout.models.enumerated() where counts[number] > 0 {
      report.lose(
        "\(counted(counts[number], "object")) of \(model.model.name), whose numbers objects of another model have, and those in whose place they stand"
      )
      try dropped(model.model, counts[number])
    }
  }

  /// - Returns: whether numbers are shared.
  private func findShared() throws -> Bool {
    for table in [Self.seen, Self.shared] {
      try target.execute("CREATE TABLE \(table) (row INTEGER PRIMARY KEY)")
    }
    for model in layout.models {
      let rows = "SELECT _row FROM \(SQL.identifier(model.table.name))"
      try target.execute(
        "INSERT OR IGNORE INTO \(Self.shared) \(rows) WHERE _row IN (SELECT row FROM \(Self.seen))")
      try target.execute("INSERT OR IGNORE INTO \(Self.seen) \(rows)")
    }
    return try target.count(of: Self.shared) > 0
  }

  private func findClaims() throws {
    try target.execute(
      "CREATE TABLE \(Self.claims) (row INTEGER, model INTEGER, held INTEGER, PRIMARY KEY (row, model)) WITHOUT ROWID"
    )
    let holders = LinkHolders(in: layout.schema)
    for (number, model) in layout.models.enumerated() {
      let held =
        holders.holders(of: model.model.name).map {
          "_row IN (SELECT \(SQL.identifier($0.targetColumn)) FROM \(SQL.identifier($0.table)))"
        }
        + model.collections.map {
          "_row IN (SELECT _owner FROM \(SQL.identifier($0.table.name)))"
        }
      try target.execute(
        """
        INSERT INTO \(Self.claims) SELECT _row, \(number), \(held.isEmpty ? "0" : held.joined(separator: " OR ")) \
        FROM \(SQL.identifier(model.table.name)) WHERE _row IN (SELECT row FROM \(Self.shared))
        """)
    }
  }

  /// - Returns: for each model, how many objects fell.
  private func drop() throws -> [Int] {
    // What is known of one object says the same of those that are shared by the same models.
    var held: [[Int]: Set<Int>] = [:]
    try eachNumber { _, claims in
      held[claims.map(\.model), default: []].formUnion(claims.filter(\.isHeld).map(\.model))
    }
    let deletes = try layout.models.map {
      try target.prepare("DELETE FROM \(SQL.identifier($0.table.name)) WHERE _row = ?")
    }
    var counts = layout.models.map { _ in 0 }
    try eachNumber { row, claims in
      let models = claims.map(\.model)
      let heldHere = claims.filter(\.isHeld).map(\.model)
      let candidates: [Int]
      if !heldHere.isEmpty {
        candidates = heldHere
      } else if let held = held[models], !held.isEmpty {
        candidates = Array(held)
      } else {
        candidates = models.filter { !damaged.contains(layout.models[$0].model.name) }
      }
      let kept = candidates.count == 1 ? candidates.first : nil
      for model in models where model != kept {
        try deletes[model].bind(row, at: 1)
        try deletes[model].run()
        counts[model] += 1
      }
    }
    return counts
  }

  private func eachNumber(_ body: (_ row: Int64, _ claims: [Claim]) throws -> Void) throws {
    let statement = try target.prepare(
      "SELECT row, model, held FROM \(Self.claims) ORDER BY row, model")
    var row: Int64 = 0
    var claims: [Claim] = []
    while try statement.step() {
      if statement.integer(at: 0) != row {
        if !claims.isEmpty { try body(row, claims) }
        (row, claims) = (statement.integer(at: 0), [])
      }
      claims.append(
        Claim(model: Int(statement.integer(at: 1)), isHeld: statement.integer(at: 2) != 0))
    }
    if !claims.isEmpty { try body(row, claims) }
  }
}
