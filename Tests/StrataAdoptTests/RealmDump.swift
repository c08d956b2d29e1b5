import Foundation
import StrataSQLite
import StrataSchema

/// The dump of Realm's own core, as the cells of a database: read without any of the code that reads Realm files.
struct RealmDump {
  struct Cell {
    let model: String
    let property: String
    /// Objects of the model before this one.
    let rank: Int
    let text: Substring
  }

  private(set) var cells: [Cell] = []
  /// By model: the place of each key among all.
  private(set) var ranks: [String: [String: Int]] = [:]

  init(path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      let model = String(parts[0].dropFirst("class_".count))
      let key = String(parts[1])
      let rank = ranks[model]?[key] ?? ranks[model]?.count ?? 0
      ranks[model, default: [:]][key] = rank
      cells.append(Cell(model: model, property: String(parts[2]), rank: rank, text: parts[3]))
    }
  }

  /// The elements of `[a,b,]` or `{k=v,}`.
  static func elements(_ text: Substring) -> [Substring] {
    var result: [Substring] = []
    var depth = 0
    var start = text.index(after: text.startIndex)
    for index in text.indices.dropFirst().dropLast() {
      switch text[index] {
      case "[", "{": depth += 1
      case "]", "}": depth -= 1
      case "," where depth == 0:
        result.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    return result
  }

  /// How a value stands in the database by docs/layout.md.
  ///
  /// - Parameters:
  ///   - isAny: whether its property is of type any.
  ///   - link: the identity of an object, by the number of its table, nil for that of the property, and its key.
  static func stored(
    _ text: Substring, isAny: Bool, link: (Int?, String) -> (identity: Int64, model: String)?
  ) -> SQLiteValue? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let content = parts.count == 2 ? String(parts[1]) : ""
    func blob(_ tag: UInt8, _ bytes: [UInt8]) -> SQLiteValue { .blob((isAny ? [tag] : []) + bytes) }
    func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    switch parts.first {
    case "n": return .null
    case "i": return Int64(content).map { .integer($0) }
    case "b": return isAny ? .blob([1, content == "1" ? 1 : 0]) : .integer(content == "1" ? 1 : 0)
    case "f":
      guard let bits = UInt32(content, radix: 16) else { return nil }
      if isAny { return .blob([2] + bytes(UInt64(bits), 4)) }
      let value = Float(bitPattern: bits)
      return value.isNaN ? .blob(bytes(Double(value).bitPattern, 8)) : .real(Double(value))
    case "d":
      guard let bits = UInt64(content, radix: 16) else { return nil }
      let value = Double(bitPattern: bits)
      return value.isNaN ? blob(3, bytes(bits, 8)) : .real(value)
    case "s":
      return Hex.decode(content.utf8).map { .text(String(decoding: $0, as: UTF8.self)) }
    case "x": return Hex.decode(content.utf8).map { blob(4, $0) }
    case "t":
      let numbers = content.split(separator: ":").compactMap { Int64($0) }
      let seconds = Double(numbers[0] - 978_307_200) + Double(numbers[1]) / 1e9
      return isAny ? .blob([5] + bytes(seconds.bitPattern, 8)) : .real(seconds)
    case "D":
      guard let digits = DecimalValue(content)?.text else { return nil }
      return isAny ? .blob([7] + Array(digits.utf8)) : .text(digits)
    case "o": return Hex.decode(content.utf8).map { blob(8, $0) }
    case "u": return UUIDValue(content).map { blob(6, $0.bytes) }
    case "l": return link(nil, content).map { .integer($0.identity) }
    case "L":
      let numbers = content.split(separator: ":")
      return link(Int(numbers[0]), String(numbers[1])).map { target in
        isAny
          ? .blob([9] + bytes(UInt64(target.identity), 8) + Array(target.model.utf8))
          : .integer(target.identity)
      }
    default:
      // A collection in a value of type any has no place in the database.
      return .null
    }
  }
}
