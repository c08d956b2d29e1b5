import StrataCodegen
import StrataFrontend

/// The arguments of one run. Parsed by hand: a library for it would cost every app's build eight seconds.
struct Arguments {
  enum Command: String {
    case models
    case migrations
  }

  static let usage = """
    Generates Swift from declarations and frozen versions; run by the build plugin.

    usage: strata-codegen models --schemas DIR [--migrations DIR] --output DIR [options]
           strata-codegen migrations --migrations DIR [--versions DIR] --output DIR [options]

      --schemas DIR       the declarations; of a migrations target those that stand beside the frozen versions
      --versions DIR      the frozen versions, default: versions in the folder of the steps
      --layout LAYOUT     source (a file for each YAML file), model (one for each model) or single
      --access LEVEL      public, package or internal
      --settings FILE     a strata.yaml, whose `generate` says access and imports
      --import MODULE     a further module that generated files import; may be repeated
      --depfile FILE      writes what was read, for make, CMake and ninja
      --version           prints the version

    """

  var command: Command
  var schemas: String?
  var migrations: String?
  var versions: String?
  var output: String
  var settings: String?
  var dependencyFile: String?
  var options = GeneratorOptions()

  struct Failure: Error {
    let message: String
  }

  init(_ arguments: [String]) throws(Failure) {
    guard let name = arguments.first, let command = Command(rawValue: name) else {
      throw Failure(message: "the first argument is 'models' or 'migrations'")
    }
    self.command = command
    output = ""
    var rest = arguments.dropFirst()
    while let key = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Failure(message: "'\(key)' needs a value") }
      try take(key, value)
    }
    guard !output.isEmpty else { throw Failure(message: "'--output' is missing") }
    switch command {
    case .models where schemas == nil: throw Failure(message: "'--schemas' is missing")
    case .migrations where migrations == nil: throw Failure(message: "'--migrations' is missing")
    case .models, .migrations: break
    }
  }

  private mutating func take(_ key: String, _ value: String) throws(Failure) {
    switch key {
    case "--schemas": schemas = value
    case "--migrations": migrations = value
    case "--versions": versions = value
    case "--output": output = value
    case "--settings": settings = value
    case "--depfile": dependencyFile = value
    case "--import":
      guard Names.isIdentifier(value) else {
        throw Failure(message: "'\(key)' takes the name of a module, not '\(value)'")
      }
      options.imports.append(value)
    case "--layout": options.layout = try choice(key, value)
    case "--access": options.access = try choice(key, value)
    default: throw Failure(message: "there is no option '\(key)'")
    }
  }

  private func choice<T: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ value: String
  ) throws(Failure) -> T {
    guard let choice = T(rawValue: value) else {
      let accepted = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(message: "'\(key)' takes \(accepted), not '\(value)'")
    }
    return choice
  }
}
