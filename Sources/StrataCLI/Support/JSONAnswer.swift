import ArgumentParser
import Strata
import StrataSchema

/// A command that prints one JSON object with `--json`, also where it fails.
protocol JSONAnswering: ParsableCommand, JSONPrinting {
  /// The members of the object that say what the command is about, in a failure, too.
  var subject: [String: JSON] { get }
}

/// One about one file, which the object names.
protocol FileJSONAnswering: JSONAnswering {
  var file: String { get }
  /// The member of the object that names the file.
  static var memberOfFile: String { get }
}

extension FileJSONAnswering {
  static var memberOfFile: String { "file" }
  var subject: [String: JSON] { [Self.memberOfFile: .string(file)] }
}

extension JSONAnswering {
  /// What it prints in place of its result: only what went wrong.
  fileprivate func failure(_ message: String, code: String?) -> JSON {
    var members = subject
    members["format"] = .string("strata.\(Self.configuration.commandName ?? "")/1")
    members["error"] = .object([
      "code": code.map(JSON.string) ?? .null, "message": .string(message),
    ])
    return .object(members)
  }
}

extension ParsableCommand {
  /// Prints what went wrong: a sentence for people, and an object where the command was asked for one.
  func tell(_ message: String, code: String? = nil) {
    Terminal.error(message, code: code)
    if let command = self as? any JSONAnswering, command.json {
      Terminal.answer(command.failure(PathArgument.asGiven(message: message), code: code))
    }
  }
}
