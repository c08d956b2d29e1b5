import StrataExpression

/// The typed conditions about one model that were asked last, understood. A loop's head asks the same one time and again, and making
/// sense of it anew would take longer than the answer.
struct RecentConditions {
  /// Of so many different ones in turn each is found again.
  private static let maximumCount = 4
  /// Bytes of its text: what is kept must not fill the memory.
  private static let maximumBytes = 1024

  private struct Entry {
    let expression: Expression.Kind
    let filter: Query.Filter
    /// The newest question with this condition alone.
    var question: Question?
  }

  /// What is asked about beside the condition, and what was found out about it.
  private struct Question {
    let collection: AskedCollection?
    let cache: Query.Cache

    /// - Returns: nil for what asks more than one condition, and for what is gone where a transaction is cancelled.
    init?(_ query: Query) {
      guard query.isOfOneFilter, query.outcome == nil else { return nil }
      collection = query.collection
      cache = query.cache
    }

    func isSame(as other: Question) -> Bool {
      switch (collection, other.collection) {
      case (nil, nil): return true
      case (let a?, let b?): return a.isSame(as: b)
      default: return false
      }
    }
  }

  /// The newest last.
  private var entries: [Entry] = []

  /// The condition as it was understood before.
  func filter(of expression: Expression) -> Query.Filter? {
    entries.last { $0.expression == expression.kind }?.filter
  }

  /// - Parameter query: one whose newest condition it is.
  mutating func remember(_ query: Query, with expression: Expression) {
    guard let filter = query.filters.last, filter.text.utf8.count <= Self.maximumBytes,
      !expression.hasSubquery
    else { return }
    if entries.count == Self.maximumCount { entries.removeFirst() }
    entries.append(
      Entry(expression: expression.kind, filter: filter, question: Question(query)))
  }

  /// Lets a question that was just made know what was found out when it was asked last.
  mutating func recognise(_ query: inout Query, with expression: Expression) {
    guard let index = entries.lastIndex(where: { $0.expression == expression.kind }),
      let question = Question(query)
    else { return }
    if let known = entries[index].question, known.isSame(as: question) {
      query.cache = known.cache
    } else {
      entries[index].question = question
    }
  }
}

extension Expression {
  /// Whether there is a variable in it. Each has a name of its own, so that the same condition is another one the next time.
  fileprivate var hasSubquery: Bool {
    if case .subquery = kind { return true }
    return children.contains(where: \.hasSubquery)
  }
}

extension AskedCollection {
  /// Whether it is the same collection, asked about in the same way.
  fileprivate func isSame(as other: AskedCollection) -> Bool {
    questions === other.questions && owner == other.owner && model == other.model
      && property == other.property && isList == other.isList && isKnown == other.isKnown
  }
}
