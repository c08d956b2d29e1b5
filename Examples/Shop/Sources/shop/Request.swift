import Foundation

/// A line that somebody sent.
enum Request: Sendable {
  case article(number: String, title: String, price: Decimal)
  case stock(number: String, pieces: Int)
  case order(customer: String, number: String, pieces: Int)
  case report

  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("article", 4):
      guard let price = Decimal(string: words[3]) else { return nil }
      self = .article(number: words[1], title: words[2], price: price)
    case ("stock", 3):
      guard let pieces = Int(words[2]) else { return nil }
      self = .stock(number: words[1], pieces: pieces)
    case ("order", 4):
      guard let pieces = Int(words[3]), pieces > 0 else { return nil }
      self = .order(customer: words[1], number: words[2], pieces: pieces)
    case ("report", 1): self = .report
    default: return nil
    }
  }

  /// Orders may be answered side by side; what they depend on comes before.
  var needsEverythingBefore: Bool {
    if case .order = self { return false }
    return true
  }
}
