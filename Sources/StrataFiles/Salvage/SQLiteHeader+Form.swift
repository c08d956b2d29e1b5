import Strata
import StrataSQLite

extension SQLiteHeader {
  /// Where the numbers stand that say how the rest of the file is read: the size of pages, two versions, the bytes that pages leave free, and
  /// three that are the same in every file.
  static let form = 16..<24
  private static let fixed: [UInt8] = [64, 32, 32]

  /// The form of a file that begins as a SQLite file and has numbers there which no file has; nil where they may be right.
  ///
  /// A size of pages that makes no sense is taken for that of Strata's files, and a version for the other one.
  static func mendedForm(_ start: [UInt8]) -> [UInt8]? {
    guard start.count >= byteCount, start.starts(with: Database.magic) else { return nil }
    let versions: ClosedRange<UInt8> = 1...2
    var form = Array(start[Self.form])
    if PageSizes.size(form[0], form[1]) == nil {
      form[0] = UInt8(Database.strataPageSize >> 8)
      form[1] = UInt8(Database.strataPageSize & 0xFF)
    }
    let version = form[2...3].first(where: versions.contains) ?? versions.upperBound
    for place in 2...3 where !versions.contains(form[place]) { form[place] = version }
    form.replaceSubrange(5..., with: fixed)
    return form == Array(start[Self.form]) ? nil : form
  }
}
