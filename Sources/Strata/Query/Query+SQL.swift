import StrataExpression
import StrataSQLite
import StrataSchema

/// A query as SQL.
extension Query {
  /// Whether all objects are asked for, in the order of their identities.
  var isWholeTable: Bool {
    filters.isEmpty && conditions.isEmpty && sorts.isEmpty && collection == nil && limit == nil
      && distinct.isEmpty && base == nil
  }

  static let alias: SQLText = "t"

  /// Rows that are asked for with a LIMIT.
  static let maximumLimited = 4096

  func translation() -> Translation {
    Translation(
      access.store.layout, functions: store.queryFunctions, subject: Self.alias,
      subjectModel: access.index)
  }

  /// `FROM "Person" t WHERE …`.
  var source: SQLText {
    // Which ones the different ones are depends on the order.
    if !distinct.isEmpty, sorts.contains(where: \.isRank) { return sortedSource }
    forgetOutdated()
    if outcome?.isCancelled != true, let source = cache.source { return source }
    let source = makeSource(ranks: "")
    cache.source = source
    return source
  }

  /// The same for what is sorted, perhaps by the rank of a search.
  var sortedSource: SQLText {
    guard sorts.contains(where: \.isRank) else { return source }
    forgetOutdated()
    if outcome?.isCancelled != true, let source = cache.rankedSource { return source }
    var translation = translation()
    let source = makeSource(ranks: translation.rankJoins(sorts))
    cache.rankedSource = source
    return source
  }

  /// What is asked for in its order: FROM, WHERE and ORDER BY. To be read at once: a list may be walked over, and behind a limit it is not.
  var orderedSource: SQLText {
    if let collection, collection.isList, sorts.isEmpty, distinct.isEmpty, base == nil,
      outcome?.isCancelled != true
    {
      return source(inOrderOf: collection)
    }
    return "\(sortedSource) ORDER BY \(orderTerms)"
  }

  private func source(inOrderOf list: AskedCollection) -> SQLText {
    forgetOutdated()
    if let source = cache.inOrderOfList { return source }
    var source = list.walk(joining: access.quotedTable)
    if let tests = makeTests(ofOneRow: false, besidesCollection: true) {
      source = "\(source) AND \(tests)"
    }
    source = "\(source) ORDER BY \(CollectionQuestions.place)"
    cache.inOrderOfList = source
    return source
  }

  func makeSource(ranks: SQLText) -> SQLText {
    if outcome?.isCancelled == true {
      return "FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks) WHERE 0"
    }
    var source: SQLText = "FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks)"
    if let base, base.isJoined {
      source = """
        \(source) JOIN \(name: base.name) base ON base."answer" = \(Self.alias)."_row"
        """
    }
    if let tests { source = "\(source) WHERE \(tests)" }
    if !distinct.isEmpty {
      var translation = translation()
      let keys = SQLText.joined(
        distinct.map { translation.groupTerm($0, mayBeNaN: mayBeNaN($0)) }, by: ", ")
      source = """
        FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks) WHERE \(Self.alias)."_row" IN \
        (SELECT "_row" FROM (SELECT \(Self.alias)."_row" AS "_row", row_number() OVER \
        (PARTITION BY \(keys) ORDER BY \(orderTerms)) AS place \(source)) WHERE place = 1)
        """
    }
    return source
  }

  /// What stands behind WHERE, before the different ones are chosen; nil for nothing.
  var tests: SQLText? {
    if let tests = cache.tests { return tests }
    let tests = makeTests(ofOneRow: false)
    cache.tests = tests
    return tests
  }

  /// - Parameter besidesCollection: whether it is known that the objects are those of the collection.
  func makeTests(ofOneRow: Bool, besidesCollection: Bool = false) -> SQLText? {
    var tests: [SQLText] = []
    if let collection, !besidesCollection, !collection.isKnown {
      tests.append(ofOneRow ? collection.membershipOfOneRow : collection.membership)
    }
    tests += conditions.map { ofOneRow ? $0.ofOneRow : $0.text }
    // All at once: two of them may be the ends of one range.
    let nodes = filters.compactMap(\.node)
    if !nodes.isEmpty {
      var translation = translation()
      translation.isOfOneRow = ofOneRow
      tests.append(translation.conjunction(nodes.flatMap(\.conjuncts)))
    }
    // Of one object there is nothing that a join could be faster for.
    if let base, ofOneRow || !base.isJoined {
      tests.append("\(Self.alias).\"_row\" IN (SELECT \"answer\" FROM \(name: base.name))")
    }
    return tests.isEmpty ? nil : SQLText.row(tests, by: " AND ")
  }

  /// Of what has an index it is known.
  func mayBeNaN(_ node: ResolvedNode) -> Bool {
    indexedNumber(node).map(access.holdsNaN) ?? true
  }

  private static let orderOfRows: SQLText = "\(alias).\"_row\""

  /// The order, which is always decided.
  var orderTerms: SQLText {
    forgetOutdated()
    if let order = cache.order { return order }
    if sorts.isEmpty, collection?.isList != true { return Self.orderOfRows }
    var translation = translation()
    var terms = sorts.enumerated().flatMap { index, sort in
      if sort.isRank { return [translation.rankTerm(sort, index)] }
      return translation.orderTerms(
        sort.node, isAscending: sort.isAscending,
        mayBeNaN: mayBeNaN(sort.node))
    }
    if let collection, collection.isList { terms.append(collection.firstPlace) }
    terms.append("\(Self.alias).\"_row\"")
    let order = SQLText.joined(terms, by: ", ")
    cache.order = order
    return order
  }

  /// The property of a sort whose index can be used while no NaN is stored; nil for every other sort.
  func indexedNumber(_ node: ResolvedNode) -> Int? {
    guard case .property(.subject, let property) = node,
      access.indexedNumbers.contains(property)
    else { return nil }
    return property
  }

  var dependsOnContent: Bool {
    (sorts.map(\.node) + distinct).contains { indexedNumber($0) != nil }
      || base?.query.dependsOnContent == true
  }

  func forgetOutdated() {
    guard cache.generation != store.generation, dependsOnContent, store.prepareToRead() else {
      return
    }
    cache.generation = store.generation
    cache.source = nil
    cache.rankedSource = nil
    cache.inOrderOfList = nil
    cache.tests = nil
    cache.match = nil
    cache.order = nil
  }

  var limitClause: SQLText {
    limit.map { " LIMIT \(value: .integer(Int64($0)))" } ?? ""
  }

  /// The identities, in order where it decides who is among them.
  var rowSelection: SQLText { "\(definitions)\(ownRowSelection)" }

  var ownRowSelection: SQLText {
    "SELECT \(Self.alias).\"_row\" \(limit == nil ? source : orderedSource)\(limitClause)"
  }

  /// The questions that this one asks about, each under its name: in one row and not in each other, so that they may be many.
  var definitions: SQLText {
    base == nil ? "" : "WITH \(SQLText.joined(definitionParts, by: ", ")) "
  }

  var definitionParts: [SQLText] {
    guard var base else { return [] }
    var parts: [SQLText] = []
    while true {
      // Not "_row", which is a column of the model's table beside it.
      parts.append("\(name: base.name) (\"answer\") AS (\(base.query.ownRowSelection))")
      guard let next = base.query.base else { break }
      base = next
    }
    return parts.reversed()
  }

  /// The condition of an update: of what looks at other rows, which the update may have reached already, the identities
  /// that were found before.
  var selectionWhileUpdating: SQLText {
    guard dependencies.isByRow, outcome == nil, base?.isJoined != true else {
      return "\(Self.alias).\"_row\" IN (\(rowSelection))"
    }
    return tests ?? "1"
  }

  /// Deletes the objects.
  var deletion: SQLText {
    """
    DELETE FROM \(SQLText(trusted: access.quotedTable)) WHERE "_row" IN (\(rowSelection))
    """
  }

  /// A value of each object as a column of this kind holds it; nil when it cannot.
  func value(of node: ResolvedNode, as kind: ColumnCodec.Kind) -> SQLText? {
    var translation = translation()
    return translation.fits(node, kind) ? translation.value(node, as: kind) : nil
  }
}

extension Translation {
  /// Terms of ORDER BY: nil first, then NaN, then the numbers.
  mutating func orderTerms(
    _ node: ResolvedNode, isAscending: Bool, mayBeNaN: Bool = true
  ) -> [SQLText] {
    let direction: SQLText = isAscending ? "" : " DESC"
    let value = value(node)
    switch kind(of: node) {
    case .float, .double, .date:
      // Without NaN that is SQLite's own order, and that of an index.
      if !mayBeNaN { return ["\(value)\(direction)"] }
      let rank: SQLText = "(\(value) IS NOT NULL) + (\(value) IS NOT NULL AND \(value) < x'')"
      return ["\(rank)\(direction)", "\(value)\(direction)"]
    case .decimal:
      let key = call(.decimalKey, [value], [.decimal], .data)
      return ["\(key)\(direction)"]
    case .any:
      let key = call(.anyKey, [value], [.any], .data)
      return ["\(key)\(direction)"]
    default: return ["\(value)\(direction)"]
    }
  }

  /// What is one where values are equal: numbers of different types in `any`, and NaNs of different bits.
  mutating func groupTerm(_ node: ResolvedNode, mayBeNaN: Bool) -> SQLText {
    let value = value(node)
    switch kind(of: node) {
    case .float where mayBeNaN, .double where mayBeNaN, .date where mayBeNaN:
      return "CASE WHEN \(value) >= x'' THEN x'' ELSE \(value) END"
    case .any: return call(.anyKey, [value], [.any], .data)
    default: return value
    }
  }
}

extension ResolvedNode {
  /// What all has to hold.
  var conjuncts: [ResolvedNode] {
    if case .all(let parts) = self { return parts }
    return [self]
  }
}
