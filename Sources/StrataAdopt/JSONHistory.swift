import StrataSchema
import StrataSource

/// The JSON files of a history, one a version, in the folder itself or in the only folder inside that has any.
enum JSONHistory {
  static func files(
    in folder: String, of source: AdoptSource, what: String, number: (String) -> Int?
  ) throws -> (folder: String, files: [(number: Int, path: String, json: JSON)]) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    var names = try SourceFolder.list(folder)
    if !names.contains(where: { number($0) != nil }) {
      let inner = names.filter { name in
        (try? SourceFolder.list(folder + "/" + name))?.contains { number($0) != nil } ?? false
      }
      guard inner.count <= 1 else {
        throw AdoptError(
          "'\(folder)' holds \(inner.count) databases; name one of them: \(inner.map { folder + "/" + $0 }.joined(separator: ", "))"
        )
      }
      guard let only = inner.first else {
        throw AdoptError(
          "'\(folder)' holds no \(what)\(source.hint(for: folder, names: names))")
      }
      folder += "/" + only
      names = try SourceFolder.list(folder)
    }
    var files: [(number: Int, path: String, json: JSON)] = []
    for name in names {
      guard let version = number(name) else { continue }
      let file = try SourceFolder.read(file: folder + "/" + name)
      guard file.bytes.count <= SourceFile.maximumSize else {
        throw AdoptError("'\(file.path)' is larger than \(SourceFile.maximumSize >> 20) MiB")
      }
      do throws(JSONError) {
        files.append((version, file.path, try JSON.parse(file.bytes)))
      } catch {
        let place = file.location(at: min(error.offset, file.bytes.count))
        throw AdoptError(
          "\(file.path):\(place.line):\(place.column): it is no JSON: \(error.message)")
      }
    }
    files.sort { $0.number < $1.number }
    for (one, next) in zip(files, files.dropFirst()) where one.number == next.number {
      throw AdoptError("'\(one.path)' and '\(next.path)' are both version \(one.number)")
    }
    return (folder, files)
  }

  static func versionNumber(_ digits: some StringProtocol) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(digits), number <= Int(Int32.max)
    else { return nil }
    return number
  }
}

/// Literals of SQL, as defaults are written.
enum SQLLiteral {
  enum Reading {
    case value(Value)
    case null
    case unknown
  }

  static func read(_ text: String, as type: ScalarType) -> Reading {
    var text = trimmed(text)
    while text.hasPrefix("("), text.hasSuffix(")") {
      text = trimmed(String(text.dropFirst().dropLast()))
    }
    if text.uppercased() == "NULL" { return .null }
    var string: String?
    if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") {
      let inner = text.dropFirst().dropLast()
      let parts = inner.split(separator: "''", omittingEmptySubsequences: false)
      guard parts.allSatisfy({ !$0.contains("'") }) else { return .unknown }
      string = parts.joined(separator: "'")
    }
    // SQLite keeps truth as 1 and 0, and makes a column's values of its type: a number of a text that is one, and a text of a
    // number.
    let word = string.map(trimmed) ?? ["TRUE": "1", "FALSE": "0"][text.uppercased()] ?? text
    let value: Value? =
      switch type {
      case .string:
        string.map { .string($0) } ?? (Double(word)?.isFinite == true ? .string(word) : nil)
      case .bool: word == "1" ? .bool(true) : word == "0" ? .bool(false) : nil
      case .int, .int64: integer(word).map { .int($0) }
      case .double: Double(word).flatMap { $0.isFinite ? .double($0) : nil }
      default: nil
      }
    return value.map { .value($0) } ?? .unknown
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop { $0.isWhitespace }
    return String(rest.prefix(rest.count - rest.reversed().prefix { $0.isWhitespace }.count))
  }

  private static func integer(_ text: String) -> Int64? {
    if let value = Int64(text) { return value }
    if text.lowercased().hasPrefix("0x") {
      return UInt64(text.dropFirst(2), radix: 16).map { Int64(bitPattern: $0) }
    }
    return Double(text).flatMap { Int64(exactly: $0) }
  }
}
