import Foundation
import Testing

/// Where the lines of an import come from: several files, and pipes whose writers come late or never.
@Suite struct ImportInputTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try run.people("create", "a.db")
  }

  private static let pet = #"{"$model":"Pet","name":"Rex","age":3}"#

  /// Runs a script in which opening a pipe waits for the command: one that ends before it opens the pipe would leave the script
  /// waiting.
  private func shell(_ script: String) throws -> CommandRunner.Result {
    try Data(script.utf8).write(to: run.folder.appendingPathComponent("script"))
    return try run.shell("timeout -k 2 600 sh script")
  }

  /// An end is no input: others write until a line comes, of whichever source.
  @Test(arguments: ["p", "/dev/null p", "/dev/null /dev/null p"])
  func untilALineComesOthersWrite(_ sources: String) throws {
    let result = try shell(
      """
      mkfifo p
      people import a.db \(sources) &
      exec 3> p
      sqlite3 a.db "BEGIN IMMEDIATE; COMMIT;" || echo locked
      echo '\(Self.pet)' >&3
      exec 3>&-
      wait $!
      """)

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "a.db: 1 created, 0 updated\n")
  }

  /// A writer that has not come is no end, and one that has gone is one.
  @Test func aPipeEndsWhenItsWriterHasGone() throws {
    let result = try shell(
      """
      mkfifo p q
      people import a.db p q &
      : > p
      printf '%s' '\(Self.pet)' > q
      wait $!
      """)

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "a.db: 1 created, 0 updated\n")
  }

  @Test func aSourceThatIsNotThereIsNamed() throws {
    for sources in [["none.jsonl"], ["/dev/null", "none.jsonl"]] {
      let result = try run.people(["import", "a.db"] + sources, asNobody: false)

      #expect(result.status == 3)
      #expect(result.errors.contains("none.jsonl cannot be read: No such file"), "\(result.errors)")
    }
  }

  /// While a pipe has no writer, both before the first line and behind one.
  @Test(arguments: ["INT", "TERM"], ["", pet])
  func anImportIsCancelledWhileAPipeHasNoWriter(_ signal: String, _ line: String) throws {
    let before = try run.digest("a.db")

    // The command has opened one pipe, so it takes signals up, and goes on to the other one.
    let result = try shell(
      """
      mkfifo p q
      people import a.db p q --json &
      exec 3> p
      if test -n '\(line)'; then
        echo '\(line)' >&3
        until test -e a.db-wal; do :; done
      fi
      exec 3>&-
      kill -\(signal) $!
      wait $!
      """)

    #expect(result.status == 130, "\(result.errors)")
    let error = result.json["error"] as? [String: Any]
    #expect(
      error?["message"] as? String == "The import into a.db was cancelled. Nothing was stored.",
      "\(result.output)")
    #expect(try run.digest("a.db") == before)
  }
}
