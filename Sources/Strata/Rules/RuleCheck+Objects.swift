import StrataSQLite
package import StrataSchema

// What makes objects needs to know of their rules.

extension RuleCheck {
  /// Some rules of one model.
  package struct Rules {
    fileprivate let entries: [RuleConditions.Entry]
  }

  /// The rules of a model.
  ///
  /// - Parameter property: only those that a change of this property may matter to; all for nil.
  package func rules(of model: String, reading property: Property? = nil) -> Rules {
    guard let index = conditions.schema.indexOfModel(named: model) else {
      return Rules(entries: [])
    }
    let position = property.flatMap {
      conditions.schema.models[index].indexOfProperty(named: $0.name)
    }
    return Rules(
      entries: conditions.entries.filter { entry in
        entry.model == index
          && position.map { entry.reads.properties[index]?.contains($0) == true } ?? true
      })
  }

  /// How many of the rules an object breaks.
  package func brokenRules(of row: Int64, among rules: Rules) throws -> Int {
    try rules.entries.count { try conditions.violation(of: row, among: [$0], in: database) != nil }
  }

  /// The object's own properties that a rule reads.
  package func ownProperties(model: String, rule: String) -> [Property] {
    guard let entry = entry(model: model, rule: rule) else { return [] }
    let own = entry.reads.reached[RuleReads.Reach(model: entry.model)] ?? []
    return own.sorted().map { conditions.schema.models[entry.model].properties[$0] }
  }

  /// Deletes objects that break rules, round by round: others may break one when these are gone. What links to them cascades
  /// or is emptied as the delete rules of links say; a link that denies a deletion is emptied, and a required one takes its holder along.
  /// Embedded objects without an owner go, too. Of objects that break a rule which counts the objects of their own model the later half
  /// goes in each round: with fewer of them the others may keep it.
  ///
  /// - Precondition: nothing but this connection knows the tables, and triggers are not there yet.
  package func deleteBroken() throws {
    let schema = conditions.schema
    try DraftDeletion.createTables(in: database)
    let deletion = DraftDeletion(database: database, schema: schema, leavesNoLink: true)
    var hasDeleted = true
    // Each round takes objects away, or is the last one.
    while hasDeleted {
      hasDeleted = false
      for model in schema.storedModels {
        for rule in model.rules {
          var spared = try sparedInRound(model: model.name, rule: rule.name)
          try forEachBroken(model: model.name, rule: rule.name) { row in
            if spared > 0 {
              spared -= 1
              return
            }
            hasDeleted = true
            guard model.isEmbedded else { return try deletion.mark(model.name, row) }
            // An embedded object goes with its owner.
            for holder in schema.holders(of: model.name) {
              try deletion.mark(
                holder.model.name,
                selectedBy: """
                  \(holder.holderColumn) FROM main.\(SQL.identifier(holder.table)) \
                  WHERE \(SQL.identifier(holder.targetColumn)) = \(row)
                  """)
            }
          }
          try deletion.deleteWaiting()
        }
      }
      try deletion.deleteOrphans()
      if hasDeleted { try MissingAnyLinks(database: database, schema: schema).cut() }
    }
    try DraftDeletion.dropTables(in: database)
  }

  /// How many of the objects that break a rule are left for the next round; one at least goes.
  private func sparedInRound(model: String, rule: String) throws -> Int {
    guard let entry = entry(model: model, rule: rule), entry.reads.members.contains(entry.model)
    else { return 0 }
    var count = 0
    try forEachBroken(model: model, rule: rule) { _ in count += 1 }
    return count / 2
  }
}
