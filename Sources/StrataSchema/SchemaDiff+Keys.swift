// What changed in the key of a model, and in what is unique or indexed in it. What another list does in the place of one that is
// gone is a change all the same, because the file's indexes are others, and no rule judges it.

extension SchemaComparison {
  mutating func compareKeys(_ pair: ModelPair, continuing names: [String: String]) {
    let (path, oldPath) = (SchemaPath(pair.new.name), SchemaPath(pair.old.name))
    func renamed(_ names: [String], by map: [String: String]) -> [String] {
      names.map { map[$0] ?? "\u{0}\($0)" }  // what is gone equals nothing
    }
    func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    let key = renamed(pair.old.primaryKey, by: names)
    if pair.old.primaryKey.isEmpty, !pair.new.primaryKey.isEmpty {
      report(
        .primaryKeyAdded, at: path, from: oldPath,
        "'\(pair.new.name)' gets the primary key \(list(pair.new.primaryKey)), and two objects may agree in it"
      )
    } else if key != pair.new.primaryKey {
      report(
        .primaryKeyChanged, at: path, from: oldPath,
        pair.new.primaryKey.isEmpty
          ? "'\(pair.new.name)' has no primary key any more, it was \(list(pair.old.primaryKey))"
          : "the primary key of '\(pair.new.name)' was \(list(pair.old.primaryKey)), it is \(list(pair.new.primaryKey))"
      )
      reportLostKey(pair, key)
    }
    let uniques = Set(pair.old.uniques.map { renamed($0, by: names) })
    for unique in pair.new.uniques where !uniques.contains(unique) {
      report(
        .uniqueAdded, at: path, from: oldPath,
        "\(list(unique)) of '\(pair.new.name)' together have to be unique, and two objects may agree in them",
        together: unique)
    }
    for unique in pair.old.uniques where !pair.new.uniques.contains(renamed(unique, by: names)) {
      let isKept = pair.new.keepsApart(by: renamed(unique, by: names))
      report(
        .uniqueRemoved, at: path, from: oldPath,
        isKept
          ? "the uniqueness of \(list(unique)) of '\(pair.new.name)' is removed, and another one keeps it"
          : "\(list(unique)) of '\(pair.new.name)' need not be unique any more", isJudged: !isKept)
    }
    let indexes = Set(pair.old.indexes.map { renamed($0, by: names) })
    for index in pair.new.indexes where !indexes.contains(index) {
      report(
        .indexAdded, at: path, from: oldPath,
        "an index over \(list(index)) of '\(pair.new.name)' is added")
    }
    for index in pair.old.indexes where !pair.new.indexes.contains(renamed(index, by: names)) {
      let isServed = pair.new.finds(by: renamed(index, by: names))
      report(
        .indexRemoved, at: path, from: oldPath,
        "the index over \(list(index)) of '\(pair.new.name)' is removed"
          + (isServed ? ", and another one begins with it" : ""), isJudged: !isServed)
    }
  }

  /// What a key that is gone kept apart: no step has to say anything of it, and programs that look for one object may find several.
  private mutating func reportLostKey(_ pair: ModelPair, _ key: [String]) {
    guard pair.new.primaryKey.isEmpty, !pair.new.isEmbedded, !pair.new.keepsApart(by: key),
      key.allSatisfy({ pair.new.property(named: $0) != nil })
    else { return }
    let list = pair.old.primaryKey.joined(separator: ", ")
    report(
      .uniqueRemoved, at: SchemaPath(pair.new.name), from: SchemaPath(pair.old.name),
      "\(list) of '\(pair.new.name)' need not be unique any more: it has no primary key")
  }
}

extension Model {
  /// Whether two objects never agree in all of these, because a key or a uniqueness of some of them keeps them apart.
  func keepsApart(by names: [String]) -> Bool {
    let groups = uniques + [primaryKey] + properties.filter(\.isUnique).map { [$0.name] }
    return groups.contains { !$0.isEmpty && $0.allSatisfy(names.contains) }
  }

  /// Whether a query by these, in this order, finds an index: one that begins with them, a key or a uniqueness.
  func finds(by names: [String]) -> Bool {
    let single = properties.filter { $0.isUnique || $0.index == .ordinary }.map { [$0.name] }
    return (indexes + uniques + [primaryKey] + single).contains { $0.starts(with: names) }
  }
}
