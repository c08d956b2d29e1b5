import Testing

@testable import Strata

/// A file says what it was upgraded from, so that another old file is not taken for that one.
@Suite struct UpgradeMarkTests {
  private func mark(_ version: Int, _ transaction: Int64) -> UpgradeMark {
    UpgradeMark(version: version, transaction: transaction)
  }

  @Test func aFileKnowsWhatItComesFrom() {
    let marks = [mark(3, 10)]
    #expect(marks.comes(from: mark(3, 10)) == true)
    // It was written since, or is an earlier copy.
    #expect(marks.comes(from: mark(3, 11)) == false)
    #expect(marks.comes(from: mark(3, 9)) == false)
    #expect(marks.comes(from: mark(4, 10)) == false)
    // What came before it is not known.
    #expect(marks.comes(from: mark(2, 10)) == nil)
    #expect([UpgradeMark]().comes(from: mark(3, 10)) == nil)
  }

  /// The upgrade is a transaction itself; one more was an app's.
  @Test func whatAVersionBetweenHasWrittenIsNoticed() {
    #expect([mark(3, 10), mark(4, 11)].comes(from: mark(3, 10)) == true)
    #expect([mark(3, 10), mark(4, 12)].comes(from: mark(3, 10)) == false)
    #expect([mark(3, 10), mark(4, 12)].comes(from: mark(4, 12)) == true)
    #expect([mark(3, 10), mark(4, 11), mark(5, 13)].comes(from: mark(3, 10)) == false)
  }

  /// As long as it is not frozen.
  @Test func aVersionMayBeUpgradedToAnotherShapeOfItself() {
    let marks = [mark(3, 10)].adding(mark(4, 11)).adding(mark(4, 12))
    #expect(marks == [mark(3, 10), mark(4, 11), mark(4, 12)])
    #expect(marks.comes(from: mark(3, 10)) == true)
    #expect(marks.comes(from: mark(4, 11)) == true)
    #expect(marks.adding(mark(4, 14)).comes(from: mark(3, 10)) == false)
    #expect(marks.adding(mark(2, 20)) == [mark(2, 20)])
  }

  @Test func theOldestGoFirst() {
    let marks = (0...UpgradeMark.maximumCount).reduce(into: [UpgradeMark]()) {
      $0 = $0.adding(mark($1, Int64($1)))
    }
    #expect(marks.map(\.version) == Array(1...UpgradeMark.maximumCount))
    #expect(UpgradeMark.marks(of: UpgradeMark.text(of: marks)) == marks)
  }

  @Test(arguments: [
    "", "{}", "[1]", "[[1]]", "[[1,2,3]]", "[[-1,2]]", "[[1,-2]]", "[[2,2],[1,3]]",
    "[[1.5,2]]", "[[4294967296,2]]",
  ])
  func whatIsNoListOfMarksIsDamage(_ text: String) {
    #expect(UpgradeMark.marks(of: text) == nil)
  }
}
