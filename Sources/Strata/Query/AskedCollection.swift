import StrataSQLite

/// The list, set or map whose objects a query asks about, each once, of a list at its first place. Docs/decisions/0145.
struct AskedCollection: Sendable {
  let questions: CollectionQuestions
  /// The model and the property whose collection it is.
  let model: Int
  let property: Int
  /// The identity of the object that has it.
  let owner: Int64
  /// Whether its places are the order of the answers, as far as nothing else decides.
  let isList: Bool
  /// Whether the query is asked about answers that are known to be in it.
  var isKnown = false

  /// Whether an object is in it, as all objects are asked for: their identities may be found first.
  var membership: SQLText { text(questions.membership) }
  /// The same as one object is asked about.
  var membershipOfOneRow: SQLText { text(questions.membershipOfOneRow) }
  /// The place of an object in a list, for an order in which it is one term of several.
  var firstPlace: SQLText { text(questions.firstPlace) }

  /// FROM and WHERE for a walk over a list from its beginning: who asks for the first objects need not look at all, and nothing is sorted.
  ///
  /// - Parameter objects: the table of the objects, quoted.
  func walk(joining objects: String) -> SQLText {
    var text = SQLText(trusted: questions.walkBeforeObjects + objects + questions.walkBehindObjects)
    text.values = [.integer(owner), .integer(owner)]
    return text
  }

  private func text(_ sql: String) -> SQLText {
    var text = SQLText(trusted: sql)
    text.values = [.integer(owner)]
    return text
  }
}

/// The texts of these questions to one table of collections. Their parameter is the owner.
final class CollectionQuestions: Sendable {
  let membership: String
  let membershipOfOneRow: String
  let firstPlace: String
  let walkBeforeObjects: String
  let walkBehindObjects: String

  /// The place of the row that is walked over.
  static let place: SQLText = "list.\"place in list\""

  /// - Parameter table: the collection's, quoted.
  init(_ table: String) {
    let (row, place) = ("\(Query.alias.sql).\"_row\"", Self.place.sql)
    membership = "\(row) IN (SELECT \"value\" FROM \(table) WHERE \"_owner\" = ?)"
    membershipOfOneRow =
      "EXISTS (SELECT 1 FROM \(table) WHERE \"_owner\" = ? AND \"value\" = \(row))"
    firstPlace =
      "(SELECT min(\"_index\") FROM \(table) WHERE \"_owner\" = ? AND \"value\" = \(row))"
    // The names are none that a model's property can have, because columns of the objects stand beside them without a table's name.
    walkBeforeObjects = """
      FROM (SELECT "_index" AS "place in list", "value" AS "object in list" \
      FROM \(table) WHERE "_owner" = ?) list CROSS JOIN\u{20}
      """
    walkBehindObjects = """
       \(Query.alias.sql) WHERE \(row) = list."object in list" AND NOT EXISTS (\
      SELECT 1 FROM \(table) earlier WHERE earlier."value" = \(row) \
      AND earlier."_owner" = ? AND earlier."_index" < \(place))
      """
  }
}
