import StrataSQLite

/// The objects of one list, as a query asks about them: each once, at its first place. Docs/decisions/0145.
struct ListOfObjects: Sendable {
  /// The list's table.
  let table: String
  /// The identity of the object that has the list.
  let owner: Int64

  /// Whether an object is in the list, as all objects are asked for: their identities may be found first.
  var membership: SQLText {
    """
    \(Query.alias)."_row" IN (SELECT "value" FROM \(name: table) WHERE "_owner" = \(value: .integer(owner)))
    """
  }

  /// The same as one object is asked about.
  var membershipOfOneRow: SQLText {
    """
    EXISTS (SELECT 1 FROM \(name: table) \
    WHERE "_owner" = \(value: .integer(owner)) AND "value" = \(Query.alias)."_row")
    """
  }

  /// The place of an object, for an order in which it is one term of several.
  var firstPlace: SQLText {
    """
    (SELECT min("_index") FROM \(name: table) \
    WHERE "_owner" = \(value: .integer(owner)) AND "value" = \(Query.alias)."_row")
    """
  }

  /// The place of the row of the list that is walked over.
  static let place: SQLText = "list.\"place in list\""

  /// FROM and WHERE for a walk over the list from its beginning: who asks for the first objects need not look at all, and nothing is sorted.
  ///
  /// The names are none that a model's property can have, because columns of the objects stand beside them without a table's name.
  ///
  /// - Parameter objects: the table of the objects, quoted.
  func walk(joining objects: String) -> SQLText {
    """
    FROM (SELECT "_index" AS "place in list", "value" AS "object in list" \
    FROM \(name: table) WHERE "_owner" = \(value: .integer(owner))) list \
    CROSS JOIN \(SQLText(trusted: objects)) \(Query.alias) \
    WHERE \(Query.alias)."_row" = list."object in list" AND NOT EXISTS (\
    SELECT 1 FROM \(name: table) earlier WHERE earlier."value" = \(Query.alias)."_row" \
    AND earlier."_owner" = \(value: .integer(owner)) AND earlier."_index" < \(Self.place))
    """
  }
}
