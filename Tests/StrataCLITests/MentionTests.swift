import Testing

@testable import StrataCLI

/// Whether a sentence says which file it is about.
@Suite struct MentionTests {
  @Test(arguments: [
    "a/1.db is not a database file.", "The upgrade of a/1.db needs room.", "It is a/1.db.",
    "a/1.db: no room", "(a/1.db), of all", "“a/1.db”",
  ])
  func aPathIsNamed(sentence: String) {
    #expect(Mention(of: "a/1.db").stands(in: sentence))
  }

  @Test(arguments: [
    "", "out/a/1.db exists already.", "a/1.db.old exists already.", "a/1.db-wal was left.",
    "a/1.dbs", "a/11.db is none", "a/1.d",
  ])
  func thePathOfAnotherFileIsNone(sentence: String) {
    #expect(!Mention(of: "a/1.db").stands(in: sentence))
  }
}
