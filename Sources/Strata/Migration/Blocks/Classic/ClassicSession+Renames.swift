import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

extension ClassicSession {
  /// Lets a property of the newest schema, or of a version between, continue one of the file.
  func rename(_ oldName: String, to newName: String, of model: String) throws {
    let path = SchemaPath(model, oldName)
    guard let old = transition.source.stored(model) else {
      throw refusal(path, newName, "the file has no model \(model).")
    }
    guard let new = transition.target.stored(model) else {
      throw refusal(path, newName, "\(model) is not in the newest schema any more.")
    }
    guard !new.stores(oldName) else {
      throw refusal(path, newName, "the newest schema still declares \(path).")
    }
    var names =
      currentNames[model]
      ?? Dictionary(uniqueKeysWithValues: old.storedProperties.map { ($0.name, $0.name) })
    guard let stored = names[oldName], let source = old.property(named: stored) else {
      throw refusal(path, newName, "the file's \(model) has no property \(oldName).")
    }
    if new.stores(newName), let target = new.property(named: newName),
      !isSameType(source.type, target.type)
    {
      throw refusal(
        path, newName,
        """
        it would become \(target.type.spelling) from \(source.type.spelling). Enumerate the objects and convert \
        the value.
        """)
    }
    names[oldName] = nil
    names[newName] = stored
    currentNames[model] = names
    guard new.stores(newName) else { return }
    // The block may have seen or changed what continued under the new name.
    if stream != nil || streamed.contains(model) { try fillDraft() }
    var step = transition.step
    step.renames.properties[SchemaPath(model, stored)] = newName
    transition = try transition.with(step)
    if isDraft { try copy(source, of: old, as: newName) }
  }

  /// The same type but for whether it is optional.
  private func isSameType(_ old: PropertyType, _ new: PropertyType) -> Bool {
    switch (old, new) {
    case (.value, .value), (.list, .list), (.set, .set), (.map, .map): break
    default: return false
    }
    guard let old = old.valueType?.base, let new = new.valueType?.base else { return false }
    if case .object(let target) = old { return new == .object(target) }
    if case .object = new { return false }
    return transition.source.storedScalar(of: old) == transition.target.storedScalar(of: new)
  }

  /// Gives objects that are in the draft already the values of an old property.
  private func copy(_ source: Property, of model: Model, as newName: String) throws {
    guard let target = transition.target.stored(model.name),
      let property = target.property(named: newName)
    else { return }
    try workspace.flush()
    let table = SQL.identifier(model.name)
    if property.type.isCollection {
      let new = "main.\(SQL.identifier("\(model.name).\(newName)"))"
      let columns = DraftLayout.collectionColumns(of: property)
      try database.execute(
        "DELETE FROM \(new) WHERE _owner IN (SELECT _row FROM source.\(table))")
      try database.execute(
        """
        INSERT INTO \(new) (\(columns)) SELECT \(columns) \
        FROM source.\(SQL.identifier("\(model.name).\(source.name)")) \
        WHERE _owner IN (SELECT _row FROM main.\(table))
        """)
    } else {
      var replacement = SQLiteValue.null
      if property.isRequiredColumn, let value = property.defaultValue {
        replacement = try property.codec(in: transition.target).sqliteValue(of: value)
      }
      try database.execute(
        """
        UPDATE main.\(table) SET \(SQL.identifier(newName)) = coalesce((SELECT \
        \(SQL.identifier(source.name)) FROM source.\(table) AS s WHERE s._row = main.\(table)._row), ?) \
        WHERE _row IN (SELECT _row FROM source.\(table))
        """, replacement)
    }
    try releaseDeleted(from: LinkHolder(model: target, property: property))
    workspace.changedBeneath()
  }

  /// Applies the delete rule of a link to the objects that the block has deleted before the link was copied.
  private func releaseDeleted(from holder: LinkHolder) throws {
    guard let model = holder.property.type.linkedModel else { return }
    let link = SQL.identifier(holder.targetColumn)
    let deletion = DraftDeletion(database: database, schema: transition.target)
    try deletion.mark(
      model,
      selectedBy:
        """
        \(link) FROM main.\(SQL.identifier(holder.table)) \
        WHERE \(link) <> 0 AND \(link) NOT IN (SELECT _row FROM main.\(SQL.identifier(model)))
        """)
    try deletion.deleteWaiting()
  }

  /// A name between two versions that nothing continues.
  func danglingRename() -> MigrationError? {
    for (model, names) in currentNames.sorted(by: { $0.key < $1.key }) {
      for (name, stored) in names.sorted(by: { $0.key < $1.key }) where name != stored {
        if transition.target.stored(model)?.stores(name) != true {
          return refusal(
            SchemaPath(model, stored), name,
            "the newest schema's \(model) has no property \(name).")
        }
      }
    }
    return nil
  }

  private func refusal(_ path: SchemaPath, _ newName: String, _ reason: String) -> MigrationError {
    MigrationError(
      .renameRefused, "\(path) cannot be renamed to \(newName): \(reason)", version: version,
      model: path.model)
  }
}

extension Transition {
  /// The same with another step.
  fileprivate func with(_ step: MigrationStep) throws -> Transition {
    let newer = FrozenVersion(
      schema: target, step: step, date: DateText.text(of: environment.date) ?? "", stepDigest: nil,
      chain: nil)
    let older = FrozenVersion(
      schema: source, step: nil, date: "", stepDigest: nil, chain: nil)
    return try Transition(from: older, to: newer, block: nil, form: form)
  }
}
