import Testing

@testable import StrataCLI

/// Whether a sentence says which file it is about.
@Suite struct MentionTests {
  @Test(arguments: [
    "a/1.db is not a database file.", "The upgrade of a/1.db needs room.", "It is a/1.db.",
    "a/1.db: no room", "(a/1.db), of all", "“a/1.db”", "é “a/1.db”.", "“a/1.db”: Ü",
  ])
  func aPathIsNamed(sentence: String) {
    #expect(Mention(of: "a/1.db").stands(in: sentence))
  }

  @Test(arguments: [
    "", "out/a/1.db exists already.", "a/1.db.old exists already.", "a/1.db-wal was left.",
    "a/1.dbs", "a/11.db is none", "a/1.d",
    // Characters that end or begin with bytes of a quotation mark.
    "Àa/1.db exists already.", "Üa/1.db exists already.", "一a/1.db exists already.",
    "a/1.db❀ exists already.", "a/1.db❝ exists already.",
  ])
  func thePathOfAnotherFileIsNone(sentence: String) {
    #expect(!Mention(of: "a/1.db").stands(in: sentence))
  }
}
