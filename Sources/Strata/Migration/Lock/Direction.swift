/// Which way a run takes a file, as its messages call it.
enum Direction: String, CustomStringConvertible {
  case upgrade
  case downgrade

  var description: String { rawValue }

  /// What a file is to get that cannot be written.
  var needed: String {
    switch self {
    case .upgrade: "needs an upgrade"
    case .downgrade: "is to be taken back"
    }
  }

  /// What was to be done to a file, as a participle.
  var done: String {
    switch self {
    case .upgrade: "upgraded"
    case .downgrade: "taken back"
    }
  }

  /// What `--output` names.
  var written: String {
    switch self {
    case .upgrade: "the upgraded file"
    case .downgrade: "the older file"
    }
  }
}

extension MigrationError {
  /// Another process upgrades the file or takes it back: which of the two cannot be told from outside.
  static func isBeingChanged(_ path: String) -> MigrationError {
    .busy(
      path,
      "\(path) is being upgraded or taken back by another process. Try again when it has finished.")
  }
}
