import ArgumentParser
import Strata
import StrataSchema

/// A command about one file that prints one JSON object with `--json`, also where it fails.
protocol JSONAnswering: ParsableCommand, JSONPrinting {
  var file: String { get }
  /// The member of the object that names the file.
  static var memberOfFile: String { get }
}

extension JSONAnswering {
  static var memberOfFile: String { "file" }

  /// What it prints in place of its result: only what went wrong.
  fileprivate func failure(_ message: String, code: String?) -> JSON {
    .object([
      "format": .string("strata.\(Self.configuration.commandName ?? "")/1"),
      Self.memberOfFile: .string(file),
      "error": .object([
        "code": code.map(JSON.string) ?? .null, "message": .string(message),
      ]),
    ])
  }
}

extension ParsableCommand {
  /// Prints what went wrong: a sentence for people, and an object where the command was asked for one.
  func tell(_ message: String, code: String? = nil) {
    Terminal.error(message, code: code)
    if let command = self as? any JSONAnswering, command.json {
      Terminal.answer(command.failure(message, code: code))
    }
  }
}
