import StrataHistory
package import StrataSQLite
package import StrataSchema

/// Refuses a draft that its version would refuse: nulls in required properties, duplicates in unique ones, embedded objects
/// with two owners, and links to nothing.
package struct VersionCheck {
  let database: Database
  let schema: Schema
  let form: UpgradeForm
  /// The rules that the step has a `repair:` for.
  let repaired: Set<SchemaPath>
  /// The models of which the step's `deduplicate:` made equal objects one.
  let deduplicated: Set<String>
  /// The step that has made the version, where one is known.
  private let transition: Transition?

  init(
    database: Database, schema: Schema, form: UpgradeForm = .steps, repaired: Set<SchemaPath> = [],
    deduplicated: Set<String> = [], after transition: Transition? = nil
  ) {
    self.transition = transition
    self.database = database
    self.schema = schema
    self.form = form
    self.repaired = repaired
    self.deduplicated = deduplicated
  }

  /// Of a version that steps make.
  package init(ofStepsIn database: Database, schema: Schema) {
    self.init(database: database, schema: schema)
  }

  private var version: Int { schema.version }

  package func run() throws {
    try checkObjects()
    try checkRules()
  }

  /// Refuses what the version says of properties, keys and owners.
  func checkObjects() throws {
    let links = LinkHolders(in: schema)
    for model in schema.storedModels {
      try checkRequired(model)
      for key in model.uniqueKeys { try checkUnique(model, key) }
      if model.isEmbedded { try checkOwners(model, links.holders(of: model.name)) }
    }
  }

  /// Refuses objects that break rules of the version.
  func checkRules() throws {
    guard schema.hasRules else { return }
    let broken = try RuleCheck(database, schema: schema).run()
    guard !broken.isEmpty else { return }
    throw MigrationError.ruleBroken(
      broken, version: version, form: form, repaired: repaired,
      isReshaped: transition?.isReshaping ?? false)
  }

  private func checkRequired(_ model: Model) throws {
    for property in model.columnProperties where property.isRequiredColumn {
      let column = SQL.identifier(property.name)
      // A required link that is not set yet is 0.
      let isUnset =
        property.type.isToOne ? "\(column) IS NULL OR \(column) = 0" : "\(column) IS NULL"
      let row = try database.rows(
        "SELECT count(*), min(_row) FROM main.\(SQL.identifier(model.name)) WHERE \(isUnset)"
      ).first
      guard let count = row?[0].ifInteger, count > 0 else { continue }
      throw MigrationError.requiredValueMissing(
        model: model, property: property, identity: row?[1].ifInteger, version: version,
        count: Int(count), form: form)
    }
  }

  /// Refuses elements that are nil where they have become required. Nothing else makes one: every collection would be read for it.
  func checkElements(of transitions: [ModelTransition]) throws {
    for model in transitions {
      for step in model.properties where step.refusesNilElements {
        try checkElements(model.target, step.property)
      }
    }
  }

  private func checkElements(_ model: Model, _ property: Property) throws {
    let table = SQL.identifier("\(model.name).\(property.name)")
    let row = try database.rows(
      "SELECT count(DISTINCT _owner), min(_owner) FROM main.\(table) WHERE value IS NULL"
    ).first
    guard let count = row?[0].ifInteger, count > 0 else { return }
    throw MigrationError.requiredElementMissing(
      model: model, property: property, identity: row?[1].ifInteger, version: version,
      count: Int(count), form: form)
  }

  private func checkUnique(_ model: Model, _ key: [String]) throws {
    let columns = SQL.identifiers(key)
    // Nulls differ from each other in a unique index; a primary key may have one null at most.
    let isPrimaryKey = key == model.primaryKey
    let condition =
      isPrimaryKey
      ? "" : "WHERE " + key.map { "\(SQL.identifier($0)) IS NOT NULL" }.joined(separator: " AND ")
    let duplicate = try database.rows(
      """
      SELECT min(_row), max(_row), count(*), \(columns) FROM main.\(SQL.identifier(model.name)) \(condition) \
      GROUP BY \(columns) HAVING count(*) > 1 ORDER BY 1 LIMIT 1
      """
    ).first
    guard let duplicate, let first = duplicate[0].ifInteger, let last = duplicate[1].ifInteger,
      let count = duplicate[2].ifInteger
    else {
      return
    }
    let values = Array(duplicate[3...])
    throw MigrationError.duplicateValue(
      model: model, key: key, values: values, count: Int(count), from: first,
      to: last, version: version, advice: adviceForDuplicates(model, key, values))
  }

  /// What helps where objects have the same values in a key. `deduplicate:` sees what the objects were before the step only.
  private func adviceForDuplicates(
    _ model: Model, _ key: [String], _ values: [SQLiteValue]
  ) -> String {
    if form == .classic {
      return "Delete the others in the migration block, or change the values there."
    }
    let step = "the step to version \(version)"
    if isMadeEqual(model, key) {
      return """
        `deduplicate:` compares the values from before the step, and \(step) made these equal: \
        give them other values there, or delete all but one.
        """
    }
    if isMadeByStep(model, key) {
      return """
        Give each object its own with `set:`\(isOfBlock(model) ? " or the block" : "") in \(step): `deduplicate:` compares \
        the values from before the step.
        """
    }
    if isDefaultForNil(model, key, values) {
      // Objects without a value are duplicates for `deduplicate:` only in what becomes the primary key.
      let equal = key == model.primaryKey ? "the same value, or none," : "the same value"
      return """
        Nil becomes this default in \(step): give each object its own there with `set:`\(isOfBlock(model) ? " or the block" : ""), \
        or add `deduplicate:` if they had \(equal) before.
        """
    }
    if isOfBlock(model) {
      return """
        Give each object its own in the block of \(step), or add `deduplicate:` there if they were equal before: it compares \
        the values from before the step.
        """
    }
    return "Add `deduplicate:` to \(step), or change the values there."
  }

  /// Whether the step makes a value of the key for objects that were there, instead of copying it.
  private func isMadeByStep(_ model: Model, _ key: [String]) -> Bool {
    guard let made = transition?.model(named: model.name) else { return false }
    return key.contains { name in
      switch made.property(named: name)?.origin {
      case .copied, nil: false
      case .constant, .generated, .expression: true
      }
    }
  }

  /// Whether a value of the key is the default that the step gives to objects with nil there.
  private func isDefaultForNil(_ model: Model, _ key: [String], _ values: [SQLiteValue]) -> Bool {
    guard let made = transition?.model(named: model.name) else { return false }
    return zip(key, values).contains { name, value in
      guard let property = made.property(named: name), property.replacesNil,
        let replacement = property.valueForNull, let type = property.property.type.valueType
      else { return false }
      return (try? ColumnCodec(type, in: schema).sqliteValue(of: replacement)) == value
    }
  }

  /// Whether the step's block works with the objects of a model.
  private func isOfBlock(_ model: Model) -> Bool {
    guard let transition, transition.block != nil else { return false }
    let names = [model.name, transition.model(named: model.name)?.source?.name]
    return names.contains { $0.map(transition.step.swiftModels.contains) ?? false }
  }

  /// Whether `deduplicate:` has made one of equal objects of the model, or of those that a link of the key leads to.
  private func isMadeEqual(_ model: Model, _ key: [String]) -> Bool {
    let targets = key.compactMap { model.property(named: $0)?.type.linkedModel }
    return ([model.name] + targets).contains(where: deduplicated.contains)
  }

  private func checkOwners(_ model: Model, _ holders: [LinkHolder]) throws {
    let owners = holders.map {
      """
      SELECT \(SQL.identifier($0.targetColumn)) AS target FROM main.\(SQL.identifier($0.table)) \
      WHERE \(SQL.identifier($0.targetColumn)) IS NOT NULL AND \(SQL.identifier($0.targetColumn)) <> 0
      """
    }
    guard !owners.isEmpty else { return }
    let shared = try database.firstValue(
      """
      SELECT target FROM (\(owners.joined(separator: " UNION ALL "))) \
      GROUP BY target HAVING count(*) > 1 ORDER BY target LIMIT 1
      """)
    guard let identity = shared?.ifInteger else { return }
    let advice =
      deduplicated.contains(model.name)
      ? "Equal ones do not become one by `deduplicate:`; tell them apart in a block of"
      : "Give each owner a copy in"
    throw MigrationError(
      .verificationFailed,
      """
      \(model.name) _row \(identity) would have several owners, but \(model.name) is embedded in version \
      \(version): an embedded object has one owner. \(advice) \(form.place(version)).
      """, version: version, model: model.name, identity: identity)
  }
}

extension VersionCheck {
  /// Refuses links to objects that are gone. Only a step that looks beyond single objects can make one.
  func checkLinks() throws {
    let links = LinkHolders(in: schema)
    for model in schema.storedModels {
      for holder in links.holders(of: model.name) {
        let link = SQL.identifier(holder.targetColumn)
        let row = try database.rows(
          """
          SELECT \(holder.holderColumn), \(link) FROM main.\(SQL.identifier(holder.table)) \
          WHERE \(link) IS NOT NULL AND \(link) <> 0 \
          AND \(link) NOT IN (SELECT _row FROM main.\(SQL.identifier(model.name))) \
          ORDER BY 2, 1 LIMIT 1
          """
        ).first
        guard let row, let identity = row[0].ifInteger, let missing = row[1].ifInteger else {
          continue
        }
        throw MigrationError.linkToNothing(
          from: holder, identity, to: model, missing, form.place(version), version: version)
      }
    }
  }
}

extension MigrationError {
  fileprivate static func linkToNothing(
    from holder: LinkHolder, _ identity: Int64, to model: Model, _ missing: Int64, _ place: String,
    version: Int
  ) -> MigrationError {
    if holder.property.deleteRule == .deny {
      return MigrationError(
        .deletionDenied,
        """
        \(model.name) _row \(missing) cannot be deleted in \(place): \(holder.model.name) \
        _row \(identity) links to it by \(holder.property.name), whose delete rule is deny.
        """, version: version, model: model.name, identity: missing)
    }
    return MigrationError(
      .verificationFailed,
      """
      \(holder.model.name) _row \(identity) links by \(holder.property.name) to \(model.name) \
      _row \(missing), which is not there: it was deleted before the link was made in \(place).
      """, version: version, model: holder.model.name, identity: identity)
  }

  /// - Parameters:
  ///   - first: the identity of the first of the objects.
  ///   - last: that of the last one.
  fileprivate static func duplicateValue(
    model: Model, key: [String], values: [SQLiteValue], count: Int, from first: Int64,
    to last: Int64, version: Int, advice: String
  ) -> MigrationError {
    let value = values.map(\.shortText).joined(separator: ", ")
    return MigrationError(
      .duplicateValue,
      """
      \(count) \(model.name) objects have the same \(key.joined(separator: ", ")) (\(value)), which version \
      \(version) requires to be unique; the first is _row \(first), the last is _row \(last). \
      \(advice)
      """, version: version, model: model.name, identity: first)
  }
}

extension SQLiteValue {
  /// The value for a sentence: at most so many characters of it.
  package var shortText: String {
    let maximumCharacters = 60
    switch self {
    case .null: return "nil"
    case .integer(let value): return String(value)
    case .real(let value): return String(value)
    case .text(let value): return "“\(value.prefix(maximumCharacters))”"
    case .blob(let value): return Hex.encode(value.prefix(maximumCharacters / 2))
    }
  }
}
