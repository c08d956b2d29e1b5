import StrataExpression
import StrataSQLite
import StrataSchema

/// A property with a full-text index, of the object that is asked about or of one to which links lead, and the words.
struct Search {
  let object: ResolvedObject
  let property: Int
  let words: String

  /// The words as FTS5 takes them: it reads up to a U+0000, which separates words in a text as a space does, and takes what begins with an
  /// asterisk for an order to itself.
  var expression: String {
    let text = words.utf8.contains(0) ? words.replacing("\u{0}", with: " ") : words
    return text.utf8.first == UInt8(ascii: "*") ? " " + text : text
  }

  init?(_ node: ResolvedNode) {
    guard case .text(.search, .property(let object, let property), let right, _) = node,
      case .constant(.string(let words)) = right
    else { return nil }
    self.object = object
    self.property = property
    self.words = words
  }

  /// The searches that a node asks for: one, or several that all have to hold.
  static func all(in node: ResolvedNode) -> [Search] {
    if case .all(let nodes) = node { return nodes.flatMap(all(in:)) }
    return Search(node).map { [$0] } ?? []
  }
}

extension Translation {
  private func index(of search: Search) -> SQLText {
    let model = schema.models[model(of: search.object)]
    let property = model.properties[search.property]
    return "\(name: LayoutNames.fulltext(model.name, property.name))"
  }

  /// The words are looked up once, and the objects by what was found. For one object alone the index is asked about that one.
  ///
  /// Elements that are found from an object outside are tested by what was found, which the sign before them says: looked up by it, each of these objects
  /// would walk through all of it.
  mutating func search(_ left: ResolvedNode, _ right: ResolvedNode) -> SQLText {
    guard let search = Search(.text(.search, left, right, [])) else { return "0" }
    let (index, row) = (index(of: search), row(of: search.object))
    let words: SQLText = "\(index) MATCH \(value: .text(search.expression))"
    if isOfOneRow { return "EXISTS (SELECT 1 FROM \(index) WHERE \(words) AND rowid = \(row))" }
    let sign: SQLText = isReached(search.object) ? "+" : ""
    return "(\(sign)\(row) IN (SELECT rowid FROM \(index) WHERE \(words)))"
  }

  /// Asks the index for nothing but whether it can read the words.
  func trial(of search: Search) -> SQLText {
    let index = index(of: search)
    return
      "SELECT 1 FROM \(index) WHERE \(index) MATCH \(value: .text(search.expression)) AND rowid = 0"
  }

  // MARK: - Rank

  private func rankAlias(_ sort: Int, _ search: Int) -> SQLText {
    SQLText(trusted: "rank\(sort)x\(search)")
  }

  /// Joins of what the searches found with its ranks, for each sort that asks for them.
  mutating func rankJoins(_ sorts: [Query.Sort]) -> SQLText {
    var joins: SQLText = ""
    for (place, sort) in sorts.enumerated() where sort.isRank {
      for (number, search) in Search.all(in: sort.node).enumerated() {
        let (index, alias) = (index(of: search), rankAlias(place, number))
        // No property has such a name. The limit keeps SQLite from asking once for each object, which would rank them all each time.
        joins = """
          \(joins) JOIN (SELECT rowid AS "strata row", rank AS "strata rank" FROM \(index) \
          WHERE \(index) MATCH \(value: .text(search.expression)) LIMIT -1) \(alias) \
          ON \(alias)."strata row" = \(row(of: search.object))
          """
      }
    }
    return joins
  }

  /// The term of ORDER BY for the sort at this place: the index gives the best the smallest number.
  func rankTerm(_ sort: Query.Sort, _ place: Int) -> SQLText {
    let values = Search.all(in: sort.node).indices.map { number -> SQLText in
      "\(rankAlias(place, number)).\"strata rank\""
    }
    let direction: SQLText = sort.isAscending ? "" : " DESC"
    return "\(SQLText.joined(values, by: " + "))\(direction)"
  }
}
