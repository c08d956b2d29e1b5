import StrataSQLite
import StrataSchema

extension Database {
  /// The first link that leads to no object; nil where every link holds.
  func linkToNothing(of schema: Schema) throws -> FileDamage? {
    guard let violation = try rows("PRAGMA main.foreign_key_check").first,
      let table = violation[0].ifText, let target = violation[2].ifText
    else { return nil }
    let row = violation[1].ifInteger.map { " _row \($0)" } ?? ""
    return FileDamage("a link in \(table)\(row) leads to a \(target) that is not there")
  }
}
