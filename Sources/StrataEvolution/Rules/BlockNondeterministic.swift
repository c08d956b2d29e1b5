import StrataSource

extension Rule {
  static let blockNondeterministic = Rule(
    "STR4013", "block-nondeterministic", .error, .never,
    "A Swift block asks the clock, chance, the locale, the environment, files or the network.",
    help: { _ in
      "use step.date, step.uuid(for: old) or step.random(for: old); two devices have to come to the same data"
    },
    .history { input in
      input.swiftFiles.flatMap { file in
        Purity(SwiftLexer.tokens(of: file.bytes)).violations.map { violation in
          Finding(violation.message, at: file.span(violation.range))
        }
      }
    })
}

/// Looks for what makes a block give another result another time. A heuristic on names: it knows no types, and
/// a helper in another module stays unseen. `strata verify` is the judge.
struct Purity {
  struct Violation {
    var message: String
    var range: Range<Int>
  }

  private(set) var violations: [Violation] = []

  /// Names that stand for something outside, however they are used.
  private static let outside: [String: String] = [
    "ContinuousClock": "the clock", "SuspendingClock": "the clock", "DispatchTime": "the clock",
    "DispatchWallTime": "the clock", "CFAbsoluteTimeGetCurrent": "the clock",
    "clock_gettime": "the clock", "gettimeofday": "the clock", "mach_absolute_time": "the clock",
    "localtime": "the clock", "localtime_r": "the clock", "Timer": "the clock",
    "ProcessInfo": "the process", "getenv": "the environment", "CommandLine": "the environment",
    "UserDefaults": "the user's settings", "NSUbiquitousKeyValueStore": "the user's settings",
    "FileManager": "files", "FileHandle": "files", "fopen": "files", "Bundle": "files",
    "FileDescriptor": "files", "NSHomeDirectory": "files", "NSTemporaryDirectory": "files",
    "readLine": "standard input", "Process": "another process",
    "gethostname": "the device", "getpid": "the process",
    "URLSession": "the network", "URLRequest": "the network", "NWConnection": "the network",
    "NSLocalizedString": "the locale", "DateFormatter": "the locale",
    "NumberFormatter": "the locale", "ByteCountFormatter": "the locale",
    "DateComponentsFormatter": "the locale", "DateIntervalFormatter": "the locale",
    "ListFormatter": "the locale", "MeasurementFormatter": "the locale",
    "RelativeDateTimeFormatter": "the locale", "PersonNameComponentsFormatter": "the locale",
    "SystemRandomNumberGenerator": "chance", "arc4random": "chance",
    "arc4random_uniform": "chance", "arc4random_buf": "chance", "rand": "chance",
    "rand_r": "chance", "drand48": "chance", "getrandom": "chance", "getentropy": "chance",
    "NSUUID": "chance", "CFUUIDCreate": "chance", "SecRandomCopyBytes": "chance",
    "hashValue": "a hash that differs from run to run",
    "Hasher": "a hash that differs from run to run",
    "UIDevice": "the device", "Thread": "the thread", "Task": "another task",
    "contentsOfFile": "files", "contentsOf": "files",
  ]

  /// Functions of chance, unless a generator is given or it is `step.random(for:)`.
  private static let chance: Set<String> = ["random", "randomElement", "shuffle", "shuffled"]
  private static let located: Set<String> = [
    "Locale", "TimeZone", "Calendar", "NSLocale", "NSTimeZone", "NSCalendar",
  ]
  /// Behind these `UUID.init` may be the initializer that takes an element: of texts it is `UUID(uuidString:)`.
  private static let mapping: Set<String> = ["map", "compactMap", "flatMap"]
  /// Arguments that take one of these without its type: `description(with: .current)`.
  private static let locatedLabels: Set<String> = ["with", "locale", "in", "timeZone", "calendar"]
  /// How many tokens of a type are looked at, from its end.
  private static let maximumTypeLength = 16
  /// Behind these and a dot stands the same as without them.
  private static let modules: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "Darwin", "Glibc", "Musl",
  ]

  init(_ tokens: [SwiftToken]) {
    let own = SwiftLexer.declaredNames(in: tokens)
    for index in tokens.indices where tokens[index].kind == .identifier {
      // A function of the file's own bears the name.
      if ["random", "clock", "time"].contains(tokens[index].text), own.contains(tokens[index].text),
        index == 0 || tokens[index - 1].text != "."
      {
        continue
      }
      if let message = Self.message(tokens, index) {
        violations.append(Violation(message: message, range: tokens[index].range))
      }
    }
  }

  private static func message(_ tokens: [SwiftToken], _ index: Int) -> String? {
    func text(_ offset: Int) -> String {
      tokens.indices.contains(index + offset) ? tokens[index + offset].text : ""
    }
    let name = tokens[index].text
    let isMember = text(-1) == "." && !modules.contains(text(-2))
    let isLabel = text(1) == ":" && !["?", "case"].contains(text(-1))
    if ["contentsOfFile", "contentsOf"].contains(name) {
      // `append(contentsOf:)` is no file.
      let call = tokens[..<index].last { $0.kind == .identifier }?.text ?? ""
      return isLabel && ["String", "Data", "NSData", "NSString"].contains(call)
        ? "'\(call)(\(name):)' reads files" : nil
    }
    if name == "hashValue" { return isMember ? "'hashValue' is \(outside[name] ?? "")" : nil }
    if let what = outside[name], !isMember, !isLabel { return "'\(name)' asks \(what)" }
    switch name {
    case "Date" where !isMember, "NSDate" where !isMember:
      if text(1) == "(", text(2) == ")" { return "'\(name)()' asks the clock" }
      if text(1) == "(", text(2) == "timeIntervalSinceNow" {
        return "'\(name)(timeIntervalSinceNow:)' asks the clock"
      }
      if text(1) == ".", ["now", "timeIntervalSinceReferenceDate"].contains(text(2)) {
        return "'\(name).\(text(2))' asks the clock"
      }
      if let spelling = initializer(tokens, index) { return "'\(spelling)' asks the clock" }
    case "now" where isMember && (index < 2 || !["Date", "NSDate"].contains(text(-2))):
      if !["step", "old", "new"].contains(text(-2)), text(1) != "=" {
        return "'.now' asks the clock"
      }
    case "timeIntervalSinceNow" where isMember && !["step", "old", "new"].contains(text(-2)):
      // Two signs compare, one assigns to a property of that name.
      if text(1) != "=" || text(2) == "=" { return "'.timeIntervalSinceNow' asks the clock" }
    case "UUID" where !isMember, "ObjectID" where !isMember:
      if text(1) == "(", text(2) == ")" { return "'\(name)()' asks chance" }
      if let spelling = initializer(tokens, index) { return "'\(spelling)' asks chance" }
    case "random" where !isMember && text(-1) != "func" && text(1) == "(" && text(2) == ")":
      return "'random()' asks chance"
    case "clock" where !isMember && text(-1) != "func" && text(1) == "(" && text(2) == ")":
      return "'clock()' asks the clock"
    case "time" where !isMember && text(1) == "(" && text(2) == "nil":
      return "'time' asks the clock"
    case "formatted" where isMember && text(1) == "(":
      return "'.formatted' asks the locale"
    case _ where isMember && name.hasPrefix("localized"): return "'.\(name)' asks the locale"
    case "current"
    where isMember && text(-2) == "Host" && text(1) == "("
      && (text(-3) != "." || modules.contains(text(-4))):
      return "'Host.current()' asks the device"
    case "current", "autoupdatingCurrent", "system", "local", "preferredLanguages":
      if isMember, located.contains(text(-2)) { return "'\(text(-2)).\(name)' asks the locale" }
      if isMember, text(-2) == ":", locatedLabels.contains(text(-3)),
        ["current", "autoupdatingCurrent"].contains(name)
      {
        return "'\(text(-3)): .\(name)' asks the locale"
      }
    case "nonisolated" where text(1) == "(" && text(2) == "unsafe":
      return "'nonisolated(unsafe)' is for state that outlives a block"
    case _ where chance.contains(name) && isMember && text(1) == "(":
      if text(2) == "for" { return nil }
      return takesGenerator(tokens, index + 1) ? nil : "'.\(name)' asks chance"
    case "var" where text(-1) == "static" && isStored(tokens, index):
      return "a 'static var' keeps state that outlives a block"
    default: break
    }
    return nil
  }

  /// `UUID.init()`, and `UUID.init` as a function; nil where it is another initializer.
  private static func initializer(_ tokens: [SwiftToken], _ index: Int) -> String? {
    func text(_ offset: Int) -> String {
      tokens.indices.contains(index + offset) ? tokens[index + offset].text : ""
    }
    guard text(1) == ".", text(2) == "init" else { return nil }
    if text(3) == "(" { return text(4) == ")" ? "\(text(0)).init()" : nil }
    let takesElement = text(-1) == "(" && mapping.contains(text(-2))
    return takesElement || text(-1) == "=" && isTypedWithArguments(tokens, index - 1)
      ? nil : "\(text(0)).init"
  }

  /// Whether what is assigned is a function of arguments: `let make: (String) -> UUID? =`.
  private static func isTypedWithArguments(_ tokens: [SwiftToken], _ assignment: Int) -> Bool {
    let before = tokens[..<assignment].suffix(maximumTypeLength)
    let arrow = before.indices.dropFirst(3).last {
      tokens[$0].text == ">" && tokens[$0 - 1].text == "-"
    }
    guard let arrow, tokens[arrow - 2].text == ")" else { return false }
    return tokens[arrow - 3].text != "("
  }

  /// Whether the call that begins at a parenthesis has an argument `using:`.
  private static func takesGenerator(_ tokens: [SwiftToken], _ open: Int) -> Bool {
    var depth = 0
    for index in open..<tokens.count {
      switch tokens[index].text {
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return false }
      case "using" where depth == 1 && index + 1 < tokens.count && tokens[index + 1].text == ":":
        return true
      default: break
      }
    }
    return false
  }

  /// Whether a variable holds a value, and does not compute it: an assignment comes before a brace.
  private static func isStored(_ tokens: [SwiftToken], _ index: Int) -> Bool {
    for token in tokens[index...].prefix(64) {
      if token.text == "=" { return true }
      if token.text == "{" { return false }
    }
    return true
  }
}
