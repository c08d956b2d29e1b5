import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// A search of what an object leads to costs as much for each object, however much of it is found, counted in SQLite's own instructions.
@Suite struct SearchCostTests {
  private static let small = 100

  /// Letters of which each one answers the one before; a quarter has the word.
  private func letters(_ count: Int) throws -> TestStore {
    let test = try TestStore()
    try test.store.write {
      var previous: Letter?
      for number in 0..<count {
        let letter = Letter(
          subject: "s\(number)", body: number.isMultiple(of: 4) ? "swift" : "rain")
        letter.reply = previous
        if let previous { letter.answers.append(previous) }
        try test.store.add(letter)
        previous = letter
      }
    }
    return test
  }

  /// - Returns: how many letters fulfil the condition, and how many instructions SQLite runs to find that out.
  private func cost(_ count: Int, _ condition: String) throws -> (found: Int, instructions: Int) {
    let test = try letters(count)
    let granularity = 10
    var ticks = 0
    test.store.database.setProgressHandler(every: granularity) {
      ticks += 1
      return false
    }
    let found = try test.store.objects(Letter.self).filter(condition).count
    test.store.database.setProgressHandler(every: 0, nil)
    return (found, ticks * granularity)
  }

  @Test(arguments: [
    "NONE answers.body TEXT 'swift'", "NONE answers.answers.body TEXT 'swift'",
    "ALL answers.body TEXT 'swift'", "ANY answers.answers.body TEXT 'swift'",
    "NONE answers.reply.body TEXT 'swift'",
    "SUBQUERY(answers, $l, $l.body TEXT 'swift').@count > 0",
    "SUBQUERY(answers, $l, $l.body TEXT 'swift' AND $l.pages == 0).@count > 0",
    "SUBQUERY(answers, $l, NONE $l.answers.body TEXT 'swift').@count > 0",
    "SUBQUERY(Letter, $l, $l.reply == SELF AND $l.body TEXT 'swift').@count > 0",
    "NONE SUBQUERY(Letter, $l, $l.reply == SELF).body TEXT 'swift'",
  ])
  func fourTimesAsManyCostFourTimesAsMuch(condition: String) throws {
    let small = try cost(Self.small, condition)
    let large = try cost(Self.small * 4, condition)

    // A loop in a loop would make it 16.
    #expect(large.instructions <= small.instructions * 6, "\(small) and \(large)")
    #expect((small.found * 4 - 3...small.found * 4 + 3).contains(large.found))
  }

  /// Where nothing else finds the others, what is found is less than all.
  @Test(arguments: [
    "SUBQUERY(Letter, $l, $l.body TEXT 'swift' AND $l.subject == SELF.subject).@count > 1",
    "SUBQUERY(Letter, $l, $l.body TEXT 'swift' AND $l.pages > SELF.pages).@count > 1",
  ])
  func aSearchOfAWholeModelBeginsWithItsWords(condition: String) throws {
    let test = try letters(0)

    let plan = try test.store.objects(Letter.self).filter(condition).explanation()

    #expect(plan.contains { $0.contains("SEARCH x1") && $0.contains("rowid=?") }, "\(plan)")
  }
}
