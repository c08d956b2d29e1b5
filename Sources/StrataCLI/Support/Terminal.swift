import Strata
import StrataSchema
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two output streams: results on standard output, everything else on standard error.
enum Terminal {
  private static let resultDescriptor = Mutex<Int32>(STDOUT_FILENO)

  /// Where results go: standard output.
  static var results: Int32 { resultDescriptor.withLock { $0 } }

  /// Keeps what blocks of an app print out of an object that a program reads: from now on it goes to standard error.
  static func keepResultsApart() {
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return }
    fflush(nil)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    resultDescriptor.withLock { $0 = copy }
  }

  /// A line on standard output, in which names and values of users neither steer the terminal nor begin lines of their own.
  ///
  /// - Parameter keepingLines: whether the text has several lines; what it says of users has gone through `TerminalText.plain`.
  static func print(_ line: String, keepingLines: Bool = false) {
    let line = TerminalText.plain(PathArgument.asGiven(line), keepingLines: keepingLines)
    write(line + "\n", to: results)
  }

  /// The object that a command prints for programs.
  static func answer(_ json: JSON) {
    write(PathArgument.asGiven(json).prettyText + "\n", to: results)
  }

  /// A line on standard error, as `print` has it.
  static func note(_ line: String) {
    write(TerminalText.plain(PathArgument.asGiven(message: line)) + "\n", to: STDERR_FILENO)
  }

  /// `error: …` on standard error.
  static func error(_ message: String, code: String? = nil) {
    let label = Style.error("error:", isEnabled: usesColour(on: STDERR_FILENO))
    let message = TerminalText.plain(PathArgument.asGiven(message: message), keepingLines: true)
    write("\(label) \(message)\(code.map { " [\($0)]" } ?? "")\n", to: STDERR_FILENO)
  }

  static func flush() {
    fflush(nil)
  }

  /// What `--color` says; without it, whether the stream is a terminal that wants colours: `NO_COLOR` and a dumb
  /// terminal don't.
  static func usesColour(on descriptor: Int32) -> Bool {
    switch OutputChoice.current.color {
    case .always: true
    case .never: false
    case .auto:
      isatty(descriptor) == 1 && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
    }
  }

  /// Whether results go to a terminal.
  static var isTerminal: Bool { isatty(results) == 1 }

  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

  /// Columns of the terminal on standard error; 80 where there is none.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Why standard output took no more; the command's status tells that it failed.
  private static let outputFailure = Mutex<Int32?>(nil)

  /// What went wrong with standard output; nil where all of it was written.
  static var outputProblem: MigrationError? { outputProblem(afterChanges: false) }

  /// - Parameter afterChanges: whether the command has made the changes that it was asked for.
  static func outputProblem(afterChanges: Bool) -> MigrationError? {
    outputFailure.withLock { $0 }.map { code in
      MigrationError(
        code == ENOSPC || code == EFBIG ? .diskFull : .inputOutput,
        "The output ends before all of it was written: \(String(cString: strerror(code)))."
          + (afterChanges
            ? " What was asked for is done; only this answer could not be printed." : ""))
    }
  }

  /// Writes results.
  ///
  /// - Throws: `MigrationError` where standard output takes no more.
  static func writeResult(_ text: String) throws {
    write(text, to: results)
    if let problem = outputProblem { throw problem }
  }

  /// Writes all bytes, whatever the stream takes at once. A closed pipe ends the process quietly by its signal, and is one more failure
  /// where that is ignored.
  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { buffer in
      var rest = UnsafeRawBufferPointer(buffer)
      while let base = rest.baseAddress, !rest.isEmpty {
        let written = systemWrite(descriptor, base, rest.count)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else {
          let code = errno
          if descriptor == results { outputFailure.withLock { $0 = $0 ?? code } }
          return
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
  #if canImport(Glibc)
    Glibc.write(descriptor, base, count)
  #elseif canImport(Musl)
    Musl.write(descriptor, base, count)
  #else
    Darwin.write(descriptor, base, count)
  #endif
}

/// Colours, for terminals only.
enum Style {
  static func error(_ text: String, isEnabled: Bool) -> String { wrap(text, "1;31", isEnabled) }
  static func good(_ text: String, isEnabled: Bool) -> String { wrap(text, "32", isEnabled) }
  static func faint(_ text: String, isEnabled: Bool) -> String { wrap(text, "2", isEnabled) }
  static func bold(_ text: String, isEnabled: Bool) -> String { wrap(text, "1", isEnabled) }

  private static func wrap(_ text: String, _ code: String, _ isEnabled: Bool) -> String {
    isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
