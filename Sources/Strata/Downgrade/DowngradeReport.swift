import StrataSQLite
package import StrataSchema

/// What a downgrade does to a file, or would do: what goes back, and what is lost on the way.
public struct DowngradeReport: Sendable, Hashable {
  /// What was found of one model of the newer version, by comparing the file with the old one upgraded anew.
  public struct ModelChanges: Sendable, Hashable {
    /// The model's name in the newer version.
    public let model: String
    /// Objects of both that are not the same any more.
    public let changed: Int
    /// Objects that only the newer file has.
    public let created: Int
    /// Objects that the newer file has no more.
    public let deleted: Int
  }

  /// An object, for people who look for it.
  public struct LostObject: Sendable, Hashable {
    /// Its identity, `_row`.
    public let identity: Int64
    /// Its primary key as text; nil where its model has none.
    public let key: String?
  }

  /// What cannot be carried back, by model, property and reason.
  public struct Loss: Sendable, Hashable {
    /// The model's name in the newer version; in the older one where only that has it.
    public let model: String
    /// Its property there; nil where whole objects are lost.
    public let property: String?
    /// A sentence without its full stop.
    public let reason: String
    /// How many objects it concerns.
    public let count: Int
    /// The first of them by identity, ten at most.
    public let objects: [LostObject]
  }

  /// Characters of a key that people are shown.
  private static let maximumKey = 60
  /// Objects of one loss that are named.
  package static let maximumNamed = 10

  /// The newer version.
  public let from: Int
  /// The older one.
  public let to: Int
  /// Models with changes, by name.
  public let changes: [ModelChanges]
  /// Nothing where everything goes back.
  public let losses: [Loss]
  /// Objects of the downgraded file.
  public let objects: Int
  /// Whether the newer file was made of the old one as it is; false where it is that of another file, or an older version has written since. Nil where the newer
  /// file does not know, because a program that did not note it made the upgrade.
  public let isMadeOfOldFile: Bool?
  /// Tables and views that other programs have in the newer file, by name: the downgraded one is made without them.
  public internal(set) var otherTables: [String] = []

  /// Whether every change goes back.
  public var isLossless: Bool { losses.isEmpty && isMadeOfOldFile != false }

  /// How many objects something is lost of, each counted once for each reason.
  public var lostCount: Int { losses.reduce(0) { $0 + $1.count } }
}

extension DowngradeReport.LostObject {
  /// The text of a primary key of these values, whole and without quotes: programs look for the object by it.
  static func key(_ values: some Sequence<SQLiteValue>) -> String {
    values.map {
      switch $0 {
      case .text(let value): value
      case .blob(let value): Hex.encode(value)
      case .null, .integer, .real: $0.shortText
      }
    }.joined(separator: ", ")
  }
}

extension DowngradeReport {
  /// For people, a line for each model and each loss.
  package var text: String {
    var lines: [String] = []
    for change in changes {
      lines.append(
        """
          \(change.model): \(grouped(change.changed)) changed, \(grouped(change.created)) created, \
        \(grouped(change.deleted)) deleted
        """)
    }
    if changes.isEmpty { lines.append("  nothing has changed since the upgrade") }
    for loss in losses {
      let place = loss.property.map { "\(loss.model).\($0)" } ?? loss.model
      let named = loss.objects.map {
        "_row \($0.identity)" + ($0.key.map { " (\(Self.beginning(of: $0)))" } ?? "")
      }
      let rest = loss.count - named.count
      lines.append(
        "  lost: \(place) of \(counted(loss.count, "object")): \(loss.reason): "
          + named.joined(separator: ", ") + (rest > 0 ? " and \(grouped(rest)) more" : ""))
    }
    if isMadeOfOldFile == false {
      lines.append(
        "  lost, perhaps: what an older version wrote in one of the two files since, or all that the two do not have in common; the newer one is "
          + "not what an upgrade makes of this old one")
    }
    if !otherTables.isEmpty {
      lines.append(
        "  left out, because other programs have made it: \(otherTables.joined(separator: ", "))")
    }
    if isLossless {
      lines.append(otherTables.isEmpty ? "  nothing is lost" : "  nothing else is lost")
    }
    return lines.map(Self.onOneLine).joined(separator: "\n")
  }

  /// The key for a sentence.
  private static func beginning(of key: String) -> String {
    key.count > maximumKey ? key.prefix(maximumKey) + "…" : key
  }

  /// A key may have line breaks.
  private static func onOneLine(_ text: String) -> String {
    text.unicodeScalars.map { $0 == "\n" ? #"\n"# : String($0) }.joined()
  }

  /// As `strata.downgrade/1` has it.
  package func json(file: String, old: String, output: String?, isWritten: Bool) -> JSON {
    .object([
      "format": "strata.downgrade/1", "file": .string(file), "old": .string(old),
      "output": output.map(JSON.string) ?? .null, "from": .int(Int64(from)), "to": .int(Int64(to)),
      "written": .bool(isWritten), "madeOfOld": isMadeOfOldFile.map(JSON.bool) ?? .null,
      "objects": .int(Int64(objects)), "otherTables": .array(otherTables.map(JSON.string)),
      "changes": .array(
        changes.map {
          .object([
            "model": .string($0.model), "changed": .int(Int64($0.changed)),
            "created": .int(Int64($0.created)), "deleted": .int(Int64($0.deleted)),
          ])
        }),
      "losses": .array(
        losses.map { loss in
          .object([
            "model": .string(loss.model), "property": loss.property.map(JSON.string) ?? .null,
            "reason": .string(loss.reason), "count": .int(Int64(loss.count)),
            "objects": .array(
              loss.objects.map {
                .object([
                  "identity": .int($0.identity), "key": $0.key.map(JSON.string) ?? .null,
                ])
              }),
          ])
        }),
    ])
  }
}
