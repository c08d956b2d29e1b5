import ArgumentParser
import StrataFrontend
import StrataReference
import StrataSchema

struct JSONSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "json-schema",
    abstract: "Prints the JSON Schema of the language, for completion and checking in editors.",
    discussion: """
      Editors that use yaml-language-server take it from a first line
      # yaml-language-server: $schema=strata.schema.json
      What a JSON Schema cannot say is listed in its $comment; `check` knows all rules.
      """)

  @Argument(help: "declarations or steps; without it both, told apart by the key 'to'.")
  var kind: LanguageSchema.Kind?
  @OptionGroup var colors: ColorOptions

  func run() throws {
    Terminal.answer(LanguageSchema.json(for: kind))
  }
}

extension LanguageSchema.Kind: ExpressibleByArgument {}
