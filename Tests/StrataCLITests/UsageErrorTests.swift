import Testing

/// What commands say of arguments that they do not understand.
@Suite struct UsageErrorTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  @Test("An argument that is one too many is repeated without what a terminal acts on")
  func argumentsWithControls() throws {
    let result = try run.strata("check", "a\u{1B}[31m\nb")
    #expect(result.status == 64)
    #expect(
      result.errors.hasPrefix(#"Error: Unexpected argument 'a\u{1B}[31m\nb'"# + "\n"),
      "\(result.errors)")
    #expect(result.errors.contains("\nUsage: "), "\(result.errors)")
  }

  @Test(
    "A mistyped option is named, also where an argument is missing",
    arguments: ["inspect", "migrate", "export"])
  func mistypedOption(command: String) throws {
    let result = try run.strata(command, "--nope")
    #expect(result.status == 64)
    #expect(result.errors.contains("Unknown option '--nope'"), "\(result.errors)")
  }

  @Test("Help for a command that there is not is wrong usage, as the command itself is")
  func helpForNoCommand() throws {
    for arguments in [["chekc"], ["help", "chekc"]] {
      let result = try run.strata(arguments)
      #expect(result.status == 64)
      #expect(
        result.errors.contains("There is no command 'chekc'. Did you mean 'check'?"),
        "\(result.errors)")
    }
    for arguments in [["help"], ["help", "check"]] {
      #expect(try run.strata(arguments).status == 0, "\(arguments)")
    }
  }
}
