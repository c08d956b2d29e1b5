import ArgumentParser
import StrataSQLite
import StrataSchema
import Synchronization

/// Paths among a command's arguments: each of a database is the name of a file, whatever SQLite would read in it.
enum PathArgument {
  /// - Throws: `ValidationError` for what names no file.
  @Sendable static func parse(_ argument: String) throws -> String {
    let path = try parsePattern(argument)
    guard !hasLostBytes(path) else {
      throw ValidationError("The name is not UTF-8 text. Choose another one, or rename the file.")
    }
    return path
  }

  /// A path of what SQLite does not open, or a name that may be one of several things.
  ///
  /// - Throws: `ValidationError` for what names no file.
  @Sendable static func name(_ argument: String) throws -> String {
    _ = try parse(argument)
    return argument
  }

  /// The same of a path that may be a pattern: of files that are found, each one has its own sentence.
  @Sendable static func parsePattern(_ argument: String) throws -> String {
    guard !argument.isEmpty else { throw ValidationError("A path is empty.") }
    return plain(argument)
  }

  /// SQLite makes no file of `:memory:`, and reads a URI in what begins with `file:`.
  static func plain(_ path: String) -> String {
    let plain = path == ":memory:" ? "./" + path : FilePaths.plain(path)
    if plain != path || isSpelledPlain(path) {
      given.withLock { $0[plain] = $0[plain] == plain ? plain : path }
    }
    return plain
  }

  /// By the spelling that commands work with the one of an argument, or of a file that a pattern has found.
  private static let given = Mutex<[String: String]>([:])

  /// Whether a path was given as `plain` would spell another one.
  private static func isSpelledPlain(_ path: String) -> Bool {
    path == "./:memory:" || path.utf8.starts(with: "./file:".utf8)
  }

  /// A text in which paths stand as they were given.
  static func asGiven(_ text: String) -> String {
    var text = text
    for (plain, path) in given.withLock({ $0 }) where plain != path {
      text = replacing(plain, with: path, in: text)
    }
    return text
  }

  /// The same of every text of an answer.
  static func asGiven(_ json: JSON) -> JSON {
    guard given.withLock({ !$0.isEmpty }) else { return json }
    switch json {
    case .string(let text): return .string(asGiven(text))
    case .array(let elements): return .array(elements.map { asGiven($0) })
    case .object(let members): return .object(members.mapValues { asGiven($0) })
    default: return json
    }
  }

  /// Where a path begins: `../file:a.db` has another one in it.
  private static func replacing(_ plain: String, with path: String, in text: String) -> String {
    let (bytes, wanted) = (Array(text.utf8), Array(plain.utf8))
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let isBeginning =
        position == 0
        || !(bytes[position - 1] == UInt8(ascii: ".")
          || bytes[position - 1] == UInt8(ascii: "/"))
      if isBeginning, bytes[position...].starts(with: wanted) {
        result += path.utf8
        position += wanted.count
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether bytes of an argument that are no UTF-8 have become other ones on the way, so that it names another file.
  private static func hasLostBytes(_ argument: String) -> Bool {
    argument.unicodeScalars.contains("\u{FFFD}") && !RawArguments.contain(argument)
  }
}

/// The process's arguments as their bytes.
private enum RawArguments {
  /// Whether one of them has the bytes of a text, or ends with them as a value behind `=` does.
  static func contain(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return (0..<Int(CommandLine.argc)).contains { index in
      guard let argument = CommandLine.unsafeArgv[index] else { return false }
      let length = (0...).first { argument[$0] == 0 } ?? 0
      guard length >= bytes.count else { return false }
      return bytes.indices.allSatisfy {
        UInt8(bitPattern: argument[length - bytes.count + $0]) == bytes[$0]
      }
    }
  }
}
