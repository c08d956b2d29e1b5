import StrataSchema
import Testing

/// Which name is meant by one that is not there.
@Suite struct NearestNameTests {
  @Test(arguments: [
    ("primarykey", "primaryKey"), ("indexs", "indexes"), ("propreties", "properties"),
    ("TYPE", "type"), ("x", nil), ("dco", "doc"), ("completely", nil), ("type", nil),
  ])
  func theLikeliestKeyIsFound(word: String, meant: String?) {
    let keys = ["doc", "type", "primaryKey", "indexes", "properties"]
    #expect(NearestName.find(word, among: keys) == meant)
  }

  /// Of a name of one letter nothing is left by an edit, but its case may be wrong.
  @Test(arguments: [
    ("b", ["a", "ab"], []), ("A", ["b", "a"], ["a"]), ("ä", ["ö"], []),
    ("id", ["ie", "d"], ["ie"]), ("abc", ["ab", "xyz"], ["ab"]), ("hög", ["hag", "hogs"], ["hag"]),
  ])
  func whatIsNearHasAPartInCommon(word: String, names: [String], near: [String]) {
    #expect(NearestName.all(word, among: names) == near)
  }

  @Test(arguments: [
    ("dat", ["data", "date", "day"], "did you mean 'data', 'date' or 'day'?"),
    ("int46", ["int", "int16", "int64"], "did you mean 'int16' or 'int64'?"),
    ("dates", ["data", "date"], "did you mean 'date'?"), ("P0", ["P1", "P2", "P3", "P4"], nil),
    ("nam", ["name", "name"], "did you mean 'name'?"),
  ])
  func ofSeveralThatAreEquallyNearNoneIsFound(word: String, names: [String], question: String?) {
    #expect(NearestName.question(word, among: names) == question)
    let isOne = question.map { !$0.contains(" or ") } ?? false
    #expect((NearestName.find(word, among: names) != nil) == isOne)
  }
}
