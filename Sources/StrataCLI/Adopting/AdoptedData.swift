package import StrataAdopt
import StrataSQLite
package import StrataSchema

/// What became of the objects of an adopted file.
package struct AdoptedData {
  /// The database inside of the output folder; nil where nothing was written.
  package internal(set) var database: String?
  package let transfer: TransferReport
  /// What the source, read a second time, and the database have both; nil where nothing was written.
  package let check: ContentSum?
  /// Which version of a history the source is, where there is one to find it in.
  package var recognition: CoreDataSource.Recognition?

  /// Whether the source is encrypted.
  var isSourceEncrypted = false
  /// Whether the database is.
  private let isEncrypted = Database.processDefaultVFS != nil

  /// Where the lines of values stand that are not in the database as they were; nil beside the database.
  var leftOutPlace: String?

  /// Values that cannot be said in the database, a line of JSON each.
  static let leftOutName = "LEFT-OUT.jsonl"

  static func databaseName(_ schema: String) -> String { schema + ".db" }

  /// All files that may be written beside the project's own.
  static func names(_ schema: String) -> [String] { [databaseName(schema), leftOutName] }

  /// Values that are not in the database as they were.
  var leftOut: Int { transfer.leftOut }

  private var objects: Int { transfer.objects.values.reduce(0, +) }

  /// What of an encrypted source lies in the clear now, and what can be done; nil where nothing does.
  ///
  /// - Parameter database: what took the objects.
  func inTheClear(_ database: String) -> String? {
    guard isSourceEncrypted else { return nil }
    let lines = leftOut > 0 ? leftOutPlace ?? Self.leftOutName : nil
    if isEncrypted {
      return lines.map { "the source is encrypted, and \($0), which has values of it, is not" }
    }
    return "the source is encrypted, and \(database) is not"
      + (lines.map { ", nor is \($0), which has values of it" } ?? "")
      + ": `\(Tool.name) rekey \(database) --new-key-file FILE` encrypts a database, and \(KeyOptions.variable) names the key of one that `adopt realm` makes"
  }

  package var summary: String {
    var lines = recognition.map { [$0.text] } ?? []
    lines.append(
      "\(counted(objects, "object")), \(counted(transfer.values, "value")) and \(counted(transfer.elements, "element")) of collections"
        + (database.map { " in \(TerminalText.plain($0))" } ?? "")
    )
    for (model, count) in transfer.objects.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(model): \(grouped(count))")
    }
    if transfer.leftOut > 0 {
      let place =
        (leftOutPlace ?? (database == nil ? nil : Self.leftOutName)).map {
          ", \(transfer.leftOut == 1 ? "a" : "each a") line of \($0)"
        }
        ?? ""
      lines.append(
        "\(counted(transfer.leftOut, "value")) \(transfer.leftOut == 1 ? "is not in the database as it was" : "are not in the database as they were")\(place):"
      )
      for (exception, count) in transfer.sortedExceptions {
        lines.append(
          TerminalText.plain(
            "  \(exception.place), \(grouped(count)): \(exception.reason)")
        )
      }
    }
    if let check {
      lines.append(
        "checked: the file, read a second time, and the database agree in \(check.parts == 1 ? "1 object" : "\(grouped(check.parts)) objects and elements") (\(check.text.prefix(16)))"
      )
    }
    return lines.joined(separator: "\n")
  }

  /// The part of `ADOPTED.md` that is about objects.
  package var report: String {
    var text = recognition.map { "\(Self.headOfFile)\($0.text).\n" } ?? ""
    text += "\(Self.headOfObjects)| model | objects |\n|---|---|\n"
    for (model, count) in transfer.objects.sorted(by: { $0.key < $1.key }) {
      text += "| \(model) | \(count) |\n"
    }
    if let database, let clear = inTheClear(database) { text += "\nIn the clear: \(clear).\n" }
    guard transfer.leftOut > 0 else {
      // Of what else the source has, as rows of search tables, the list of what is not as it was tells.
      return text + "\nEvery value of these objects is in the database.\n"
    }
    text += "\n\(Self.headOfLeftOut), each a line of `\(Self.leftOutName)`:\n\n"
    text += "| property | values | reason |\n|---|---|---|\n"
    for (exception, count) in transfer.sortedExceptions {
      text += "| \(exception.place) | \(count) | \(exception.reason) |\n"
    }
    return text
  }

  private static let headOfFile = "\n## The file\n\n"
  private static let headOfObjects = "\n## Objects\n\n"
  private static let headOfLeftOut = "Not in the database as they were"

  /// That part of an `ADOPTED.md`, at its end; empty where it has none.
  static func report(in text: String) -> String {
    let begins = [headOfFile, headOfObjects].compactMap { text.firstRange(of: $0)?.lowerBound }
    return begins.min().map { String(text[$0...]) } ?? ""
  }

  /// Whether it tells of values that are not in the database as they were.
  static func tellsOfLeftOut(_ report: String) -> Bool { report.contains("\n\(headOfLeftOut), ") }

  package var json: JSON {
    var members: [String: JSON] = [
      "database": database.map(JSON.string) ?? .null,
      "objects": .object(transfer.objects.mapValues { .int(Int64($0)) }),
      "check": check.map {
        .object(["parts": .int(Int64($0.parts)), "digest": .string($0.text)])
      } ?? .null,
      "values": .int(Int64(transfer.values)), "elements": .int(Int64(transfer.elements)),
      "leftOutFile": leftOutPlace.map(JSON.string)
        ?? (database != nil && transfer.leftOut > 0 ? .string(Self.leftOutName) : .null),
      "leftOut": .array(
        transfer.sortedExceptions.map { exception, count in
          .object([
            "model": .string(exception.model), "property": .string(exception.property),
            "reason": .string(exception.reason), "values": .int(Int64(count)),
          ])
        }),
    ]
    if let recognition {
      members["version"] = .int(Int64(recognition.version))
      members["equalVersions"] = .array(
        recognition.equal.map {
          .object(["version": .int(Int64($0.number)), "name": .string($0.name)])
        })
    }
    return .object(members)
  }
}
