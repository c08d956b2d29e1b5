import StrataSQLite

/// The identities that a query answered with at one moment, in order. Never changed, so that observers share them, and know by
/// the object's identity alone that they saw the same.
final class Answers {
  let rows: [Int64]
  /// Whether it is what an observer shows between two moments, of which the order need not be that of the query.
  let isMixed: Bool

  init(_ rows: [Int64], isMixed: Bool = false) {
    self.rows = rows
    self.isMixed = isMixed
  }
}

/// What the observers of one question find out for each other: each change is worked out by the first, and the others that stood on
/// the same answers take its result.
///
/// A moment is the number of the newest change of what the question reads (``QueryDependencies/newestChange``): of one
/// moment there is one content.
final class SharedAnswers {
  /// What makes two questions to one store the same.
  struct Key: Hashable {
    let statement: String
    let values: [SQLiteValue]
  }

  private var current: (moment: UInt64, answers: Answers)?
  private var step: (from: Answers, difference: CollectionDifference<Int>)?
  private var modified: (of: Answers, ranges: [ClosedRange<Int64>], places: [Int])?

  /// The answers of a moment.
  /// - Parameter ask: asks the database.
  func answers(at moment: UInt64, ask: () throws -> [Int64]) rethrows -> Answers {
    if let current, current.moment == moment { return current.answers }
    let answers = Answers(try ask())
    current = (moment, answers)
    step = nil
    return answers
  }

  /// What leads from older answers to those of a moment.
  /// - Parameter follow: works it out, and changes the rows that it gets.
  func step(
    from old: Answers, at moment: UInt64,
    follow: (inout [Int64]) throws -> CollectionDifference<Int>
  ) rethrows -> (answers: Answers, difference: CollectionDifference<Int>) {
    if let current, current.moment == moment, let step, step.from === old {
      return (current.answers, step.difference)
    }
    var rows = old.rows
    let difference = try follow(&rows)
    let answers: Answers
    if let current, current.moment == moment {
      answers = current.answers
    } else {
      answers = difference.isEmpty ? old : Answers(rows)
      current = (moment, answers)
    }
    step = (old, difference)
    return (answers, difference)
  }

  /// The places of changed rows among answers.
  /// - Parameter find: looks them up.
  func places(of set: RowSet, in answers: Answers, find: () -> [Int]) -> [Int] {
    if set.isEverything { return Array(answers.rows.indices) }
    if let modified, modified.of === answers, modified.ranges == set.ranges {
      return modified.places
    }
    let places = find()
    modified = (answers, set.ranges, places)
    return places
  }
}

extension Observers {
  /// What those who observe the same question share, for as long as one of them is there.
  func sharedAnswers(of query: Query) -> SharedAnswers {
    // A transaction that was cancelled takes the answers of some away, which the statement does not say.
    guard query.outcome == nil else { return SharedAnswers() }
    let statement = query.identityStatement
    return answers(
      of: SharedAnswers.Key(statement: statement.sql, values: statement.values))
  }
}
