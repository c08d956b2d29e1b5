import StrataSchema

/// What a file says of an upgrade that it went through: how the older file was then.
package struct UpgradeMark: Hashable, Sendable {
  /// The version of the older file.
  package let version: Int
  /// How many transactions had changed it.
  package let transaction: Int64
  /// What its objects were, see ``ContentMark``; nil where nothing has said it.
  package let content: String?

  package init(version: Int, transaction: Int64, content: String? = nil) {
    self.version = version
    self.transaction = transaction
    self.content = content
  }

  /// Whether both may be of one file in one state. Two files of one schema may well have counted the same number of transactions.
  func fits(_ other: UpgradeMark) -> Bool {
    (version, transaction) == (other.version, other.transaction)
      && (content == nil || other.content == nil || content == other.content)
  }
}

extension UpgradeMark {
  /// Marks that a file has at most; the oldest go first.
  static let maximumCount = 64

  /// As `_strata` has them: `[[4,120,"9f2c…"],[5,300,"04aa…"]]`, the oldest first.
  static func text(of marks: [UpgradeMark]) -> String {
    JSON.array(
      marks.map { mark in
        .array(
          [.int(Int64(mark.version)), .int(mark.transaction)]
            + (mark.content.map { [.string($0)] } ?? []))
      }
    ).canonicalText
  }

  /// - Returns: nil for a text that is none of ours.
  package static func marks(of text: String) -> [UpgradeMark]? {
    guard case .array(let elements)? = try? JSON.parse(text), elements.count <= maximumCount else {
      return nil
    }
    var marks: [UpgradeMark] = []
    for element in elements {
      guard case .array(let parts) = element, (2...3).contains(parts.count),
        case .int(let version) = parts[0], case .int(let transaction) = parts[1],
        (0...Int64(Int32.max)).contains(version),
        transaction >= 0, marks.last.map({ $0.version <= version }) ?? true
      else { return nil }
      var content: String?
      if parts.count == 3 {
        guard case .string(let text) = parts[2], text.utf8.count <= ContentMark.length else {
          return nil
        }
        content = text
      }
      marks.append(
        UpgradeMark(version: Int(version), transaction: transaction, content: content))
    }
    return marks
  }
}

extension [UpgradeMark] {
  /// Those of the file that comes of a file with these.
  func adding(_ mark: UpgradeMark) -> [UpgradeMark] {
    // A version that is not frozen yet is upgraded to another shape of itself, which is one more mark.
    (filter { $0.version <= mark.version } + [mark]).suffix(UpgradeMark.maximumCount)
  }

  /// Whether the file with these marks comes of an older one, and no older version wrote it after that.
  ///
  /// - Parameter mark: how the older file is now.
  /// - Returns: nil where the file does not know.
  func comes(from mark: UpgradeMark) -> Bool? {
    guard let first, mark.version >= first.version else { return nil }
    var later = drop { !$0.fits(mark) }
    guard var last = later.popFirst() else { return false }
    for next in later {
      // An upgrade is one transaction itself; where there are no models it is none.
      guard (0...1).contains(next.transaction - last.transaction) else { return false }
      last = next
    }
    return true
  }
}
