import StrataExpression
import StrataSQLite
import StrataSchema

extension Query {
  /// The sort by how well the answers fit what is searched, the best ones first.
  ///
  /// - Throws: `StoreError.invalidQuery` where nothing is searched that all answers fulfil
  func rank(isAscending: Bool) throws(StoreError) -> Sort {
    let searches = requiredSearches
    guard !searches.isEmpty else {
      throw .invalidQuery(
        text: SortKey.rank.keyPath,
        problem:
          "nothing is searched: the answers of a TEXT condition that all of them fulfil have a rank"
      )
    }
    return Sort(node: .all(searches), isAscending: isAscending, isRank: true)
  }

  private var requiredSearches: [ResolvedNode] {
    var found = baseQuery?.requiredSearches ?? []
    for node in filters.compactMap(\.node) { found += node.requiredSearches }
    return found
  }

  /// The first search that the index cannot read, with the reason.
  func unreadableSearch() -> StoreError? {
    for filter in filters {
      if let error = unreadable(filter.measure.searches, text: nil) { return error }
    }
    return baseQuery?.unreadableSearch()
  }

  /// - Parameter text: what was asked, where that is known.
  func unreadable(_ searches: [Search], text: String?) -> StoreError? {
    let translation = translation()
    for search in searches {
      do {
        _ = try store.database.withStatement(translation.trial(of: search)) { try $0.step() }
      } catch let error as SQLiteError where error.primaryCode == .error {
        return .invalidQuery(
          text: text ?? "TEXT '\(search.words)'",
          problem:
            "the search '\(search.words)' cannot be read (\(error.message)): words with other signs than "
            + "letters and digits stand in double quotes")
      } catch {
        return store.storeError(error)
      }
    }
    return nil
  }
}

extension ResolvedNode {
  /// The searches that hold wherever the condition holds, of the object itself or of one that a link leads to.
  fileprivate var requiredSearches: [ResolvedNode] {
    conjuncts.flatMap { part -> [ResolvedNode] in
      if case .all = part { return part.requiredSearches }
      return Search(part) == nil ? [] : [part]
    }
  }
}
