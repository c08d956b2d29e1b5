import StrataSchema

/// Dates as drift writes them into texts.
enum DriftDate {
  /// Characters of a day, behind which a space may stand before the time.
  private static let charactersOfDay = 10

  /// Seconds since 2001; nil for what is no date. Without a zone it is UTC, as SQLite reads it. A local date has a space before its
  /// offset: `2022-07-25T11:28:42.015 +02:00`.
  static func parse(_ text: String) -> Double? {
    var text = text
    if let space = text.lastIndex(of: " "),
      text.distance(from: text.startIndex, to: space) > charactersOfDay
    {
      text.remove(at: space)
    }
    return DateText.parse(text) ?? DateText.parse(text + "Z")
  }
}
