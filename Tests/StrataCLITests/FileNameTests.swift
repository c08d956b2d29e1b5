import Foundation
import Testing

/// Files with names that scripts stumble over, and places that are no places.
@Suite struct FileNameTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try run.people("create", "a.db", "--version", "0", "--sample", "20", "--seed", "7")
    try FileManager.default.createDirectory(
      atPath: run.path("fleet"), withIntermediateDirectories: false)
  }

  /// A file by the bytes of its name; nil where the file system has other ideas of names.
  private func copy(to name: [UInt8]) -> Bool {
    guard let data = FileManager.default.contents(atPath: run.path("a.db")) else { return false }
    let path = Array((run.path("fleet") + "/").utf8) + name + [0]
    let file = path.withUnsafeBytes {
      fopen($0.assumingMemoryBound(to: CChar.self).baseAddress!, "wbx")
    }
    guard let file else { return false }
    defer { fclose(file) }
    return data.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == data.count
  }

  private func statuses(_ result: CommandRunner.Result) -> [[UInt8]: String] {
    let files = result.json["files"] as? [[String: Any]] ?? []
    return Dictionary(
      files.map { (Array(($0["file"] as? String ?? "").utf8), $0["status"] as? String ?? "") }
    ) { first, _ in first }
  }

  /// Swift takes both for the same text, file systems don't.
  @Test func namesThatLookAlikeAreTwoFiles() throws {
    let names = ["\u{E9}.db", "e\u{301}.db"].map { Array($0.utf8) }
    guard names.allSatisfy({ copy(to: $0) }) else { return }
    let paths = names.map { Array("fleet/".utf8) + $0 }

    let result = try run.people("migrate", "fleet/*.db", "--jobs", "2", "--json")
    #expect(paths.map { statuses(result)[$0] } == ["upgraded", "upgraded"])
    let again = try run.people("migrate", "fleet/*.db", "--resume", "--json")
    #expect(paths.map { statuses(again)[$0] } == ["skipped", "skipped"])
  }

  @Test func aNameThatIsNoTextIsSaidToBeNone() throws {
    guard copy(to: [0xFF, 0x2E, 0x64, 0x62]), copy(to: Array("b.db".utf8)) else { return }
    let result = try run.people("migrate", "fleet/*.db", "--keep-going")
    #expect(result.status == 3)
    #expect(result.errors.contains("is not UTF-8 text. Rename the file."), "\(result.errors)")
    #expect(result.output.contains("2 files: 1 upgraded, 0 current, 0 skipped, 1 failed"))
  }

  @Test(arguments: ["fleet/**/*.db", "fleet/*/*.db", "fleet/c*/*.db", "fleet/caf?/*.db"])
  func aFolderWhoseNameIsNoTextIsSaidToBeNone(pattern: String) throws {
    let folder = Array((run.path("fleet") + "/caf").utf8) + [0xE9, 0]
    let isMade = folder.withUnsafeBytes {
      mkdir($0.assumingMemoryBound(to: CChar.self).baseAddress!, 0o755) == 0
    }
    guard isMade else { return }
    try FileManager.default.createDirectory(
      atPath: run.path("fleet/cafe"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: run.path("a.db"), toPath: run.path("fleet/cafe/b.db"))

    let result = try run.people("migrate", pattern, "--keep-going")

    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "The name of the folder fleet/caf\u{FFFD} is not UTF-8 text. Rename it: what it holds cannot be named."
      ), "\(result.errors)")
    #expect(result.output.contains("2 files: 1 upgraded, 0 current, 0 skipped, 1 failed"))
    // A pattern that does not lead into it has nothing to do with it.
    #expect(try run.people("migrate", "fleet/cafe/*.db").status == 0)
    #expect(try run.people("migrate", "fleet/[d-z]*/**/*.db", "fleet/cafe/b.db").status == 3)
    #expect(
      try run.people("migrate", "fleet/[d-z]*/**/*.db").errors.contains("No file matches"))
  }

  /// SQLite reads a URI in the one, and makes no file of the other.
  @Test(arguments: ["file:x.db", "file:x.db?mode=memory", ":memory:"])
  func aPathIsThePathOfAFile(name: String) throws {
    let before = try run.contents()
    #expect(try run.people("create", name, "--version", "0", "--sample", "3").status == 0)
    #expect(try run.people("migrate", name, "--backup", "\(name).old").status == 0)
    #expect(try run.people("salvage", name, "--output", "\(name).new").status == 0)
    #expect(try run.people("downgrade", name, "--from", "\(name).old").status == 0)
    #expect(try run.people("rekey", name, "--checksums").status == 0)
    #expect(try run.people("plan", name).status == 0)
    #expect(try run.people("export", name).output.contains("\"$model\":\"Person\""))
    let after = Set(try run.contents().keys)
    #expect(after.subtracting(before.keys) == [name, "\(name).old", "\(name).new"])
  }

  /// A program finds the file in the answer by the name that it gave.
  @Test(arguments: ["file:x.db", ":memory:", "./file:x.db"])
  func answersNameTheFileAsItWasGiven(name: String) throws {
    #expect(
      try run.people("create", name, "--version", "0", "--json").json["file"] as? String == name)
    #expect(try run.people("inspect", name, "--json").firstFile["file"] as? String == name)
    #expect(try run.people("plan", name, "--json").json["file"] as? String == name)
    #expect(try run.people("migrate", name, "--json").firstFile["file"] as? String == name)
    #expect(try run.people("import", name, "--json").json["file"] as? String == name)
    #expect(try run.people("import", name).output == "\(name): 0 created, 0 updated\n")
    let missing = try run.people("plan", "\(name).gone", "--json")
    let error = missing.json["error"] as? [String: Any]
    #expect((error?["message"] as? String)?.hasPrefix("\(name).gone ") == true, "\(missing.output)")
    #expect(missing.errors.contains("error: \(name).gone "), "\(missing.errors)")
  }

  @Test func aPatternNamesFilesAsTheyAreFound() throws {
    try run.people("create", "file:x.db", "--version", "0")
    try run.people("create", "fleet/file:x.db", "--version", "0")
    let result = try run.people("migrate", "f*.db", "f*/*.db", "--json", "--jobs", "2")
    let files = result.json["files"] as? [[String: Any]] ?? []
    #expect(
      files.map { $0["file"] as? String } == ["file:x.db", "fleet/file:x.db"], "\(result.output)")
  }

  @Test(arguments: [
    "create", "inspect", "plan", "export", "import", "salvage --output b.db", "migrate",
  ])
  func anEmptyPathAndOneThatIsNoTextAreWrongUsage(command: String) throws {
    let before = try run.contents()
    let empty = try run.shell("people \(command) ''")
    #expect(empty.status == 64)
    #expect(empty.errors.contains("A path is empty."), "\(empty.errors)")
    guard command != "migrate" else { return }
    let noText = try run.shell("people \(command) \"$(printf 'b\\377.db')\"")
    #expect(noText.status == 64)
    #expect(noText.errors.contains("The name is not UTF-8 text."), "\(noText.errors)")
    #expect(try run.contents() == before)
  }

  /// Of a name that is no text another one would be made, and that is what would be written or read.
  @Test(arguments: [
    "import a.db", "docs --output", "docs --output out --samples", "docs --output out --schemas",
    "generate --output", "generate --output out --depfile", "verify --samples", "check --samples",
    "check --migrations", "format", "diff", "diff v0", "inspect a.db --key-file",
    "migrate a.db --journal", "rekey a.db --new-key-file", "adopt sqlite a.db --output",
    "adopt sqlite a.db --output out --history", "adopt coredata a.db --output out --model",
  ])
  func eachOptionThatTakesAPathRefusesWhatIsNone(command: String) throws {
    let before = try run.contents()
    for (argument, sentence) in [
      ("''", "A path is empty."), ("\"$(printf 'b\\377')\"", "The name is not UTF-8 text."),
    ] {
      let result = try run.shell("people \(command) \(argument)")
      #expect(result.status == 64)
      #expect(result.errors.contains(sentence), "\(result.errors)")
    }
    #expect(try run.contents() == before)
    #expect(!FileManager.default.fileExists(atPath: run.path("out")))
  }

  /// Each of them works under a name beside the new file.
  @Test(arguments: ["create n.db --sample 300", "salvage a.db --output n.db"])
  func ofManyThatMakeOneFileAtOnceOneMakesIt(command: String) throws {
    let arguments = command.split(separator: " ").map(String.init)
    let running = try (0..<4).map { _ in try run.startPeople(arguments) }
    let results = try running.map { try $0.finish() }

    let refused = results.filter { $0.status != 0 }
    #expect(refused.count == 3)
    // One waits for another, but not for ever: on a busy machine the file may take longer.
    let sentences = [
      "error: n.db exists already; nothing was written. [STR5115]\n",
      "error: n.db is being written by another process. Try again when it has finished. [STR5113]\n",
    ]
    for result in refused {
      #expect(sentences.contains(result.errors), "\(result.errors)")
    }
    #expect(try run.people("inspect", "n.db", "--check").output.contains("nothing is wrong"))
    #expect(try run.contents().keys.filter { $0.hasPrefix("n.db") } == ["n.db"])
  }

  @Test func aLinePerFileStaysALinePerFile() throws {
    let names = ["a b.db", "new\nline.db", "-dash.db", "[x].db", "star*.db", "esc\u{1B}[31m.db"]
    for name in names { try #require(copy(to: Array(name.utf8))) }
    let result = try run.people("migrate", "fleet/**/*.db", "--jobs", "2")
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == names.count + 1)
    #expect(!result.output.contains("\u{1B}"))
    let again = try run.people("migrate", "fleet/*.db", "--resume", "--json")
    #expect(
      names.allSatisfy { statuses(again)[Array("fleet/\($0)".utf8)] == "skipped" })
  }

  @Test(arguments: [
    ("a.db", "a.db exists already"), ("link.db", "link.db exists already"),
    ("missing/deep/a.db", "its folder missing/deep does not exist"),
  ])
  func aCopyThatHasNoPlaceIsRefused(backup: String, reason: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: run.path("link.db"), withDestinationPath: "a.db")
    let before = try run.contents()
    for option in [[], ["--dry-run"]] {
      let result = try run.people(
        ["migrate", "a.db", "--backup", backup] + option, asNobody: false)
      #expect(result.status == 3)
      #expect(result.errors.contains(reason), "\(result.errors)")
      #expect(try run.contents() == before)
    }
  }

  /// As one to a disk that is not mounted: the file would be made in place of the link.
  @Test(arguments: ["--output", "--backup"]) func aLinkThatLeadsNowhereIsLeft(option: String) throws
  {
    let link = run.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "disk/new.db")
    for mode in [[], ["--dry-run"]] {
      let result = try run.people(["migrate", "a.db", option, "link.db"] + mode, asNobody: false)
      #expect(result.status == 3)
      #expect(
        result.errors.contains("link.db is a link to disk/new.db, which is not there"),
        "\(result.errors)")
      #expect(result.errors.contains("[STR5115]"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "disk/new.db")
    }
  }

  @Test(arguments: [
    ["", "--json"], ["a.db", "--output", ""], ["a.db", "--backup", ""], ["a.db", "--journal", ""],
    ["a.db", "--output", "b.db", "--backup", "b.db"],
  ])
  func anEmptyPathOrOneForTwoThingsIsWrongUsage(arguments: [String]) throws {
    #expect(try run.people(["migrate"] + arguments, asNobody: false).status == 64)
  }
}
