import StrataAdopt
import StrataSQLite
import StrataSchema

/// The lines of what was left out of a file, told of the objects of the database that the file's were merged into.
///
/// They are written while the file is read into a database of its own, whose objects have other identities.
struct MergedLeftOut {
  /// Bytes that are read at once.
  private static let chunkSize = 1 << 20

  /// The identity in the database of an object of the other one, by its model; nil where there is none, as of embedded objects.
  let identity: (String, Int64) throws -> Int64?

  func rewrite(_ path: String, to other: String) throws {
    let files = POSIXFiles()
    let result = LeftOutFile(
      path: other, permissions: try files.status(of: path)?.permissions ?? 0o600)
    var rest: [UInt8] = []
    var offset = 0
    while true {
      let chunk = try files.read(path, from: offset, count: Self.chunkSize)
      offset += chunk.count
      rest += chunk
      var start = rest.startIndex
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try result.add(try translated(try JSON.parse(Array(rest[start..<end]))).canonicalText)
        start = end + 1
      }
      rest.removeSubrange(..<start)
      if chunk.isEmpty { break }
    }
    try result.close()
  }

  private func translated(_ line: JSON) throws -> JSON {
    guard case .object(var members) = line, let model = members["$model"]?.string else {
      return line
    }
    if let id = members["$id"]?.int {
      members["$id"] = try identity(model, id).map(JSON.int) ?? .null
    }
    members["value"] = try members["value"].map(withLinks)
    return .object(members)
  }

  /// A value with the links inside.
  private func withLinks(_ value: JSON) throws -> JSON {
    switch value {
    case .array(let elements): return .array(try elements.map(withLinks))
    case .object(var members):
      guard members.count == 2, let model = members["$model"]?.string,
        let id = members["$id"]?.int
      else { return .object(try members.mapValues(withLinks)) }
      members["$id"] = try identity(model, id).map(JSON.int) ?? .null
      return .object(members)
    default: return value
    }
  }
}
