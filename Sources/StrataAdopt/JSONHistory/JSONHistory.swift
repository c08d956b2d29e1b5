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
