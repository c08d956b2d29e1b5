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
    places.withLock { $0.add(argument) }
    return plain(argument)
  }

  /// SQLite makes no file of `:memory:`, and reads a URI in what begins with `file:`.
  static func plain(_ path: String) -> String {
    let plain = spelledPlain(path)
    if plain != path || GivenPaths.isInQuestion(path) {
      given.withLock { $0.add(path, spelled: plain) }
    }
    return plain
  }

  /// The same of a path that no argument of this run has named.
  static func spelledPlain(_ path: String) -> String {
    path == ":memory:" ? "./" + path : FilePaths.plain(path)
  }

  /// Of arguments, and of files that patterns have found.
  private static let given = Mutex(GivenPaths())
  /// Of arguments alone: what a pattern has found is told as it was found.
  private static let places = Mutex(GivenPlaces())

  /// A message of a command, which may name files from the root, in which they stand as they were given.
  static func asGiven(message: String) -> String {
    asGiven(places.withLock { $0.asGiven(message) })
  }

  /// A text in which paths stand as they were given.
  static func asGiven(_ text: String) -> String {
    given.withLock { $0 }.asGiven(text)
  }

  /// The same of every text of an answer.
  static func asGiven(_ json: JSON) -> JSON {
    let given = given.withLock { $0 }
    return given.isEmpty ? json : given.asGiven(json)
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
