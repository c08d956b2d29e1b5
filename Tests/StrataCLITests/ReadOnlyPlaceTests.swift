import Foundation
import StrataTestSupport
import Testing

/// Files, folders and media that cannot be written: the upgrade is refused with a sentence, and `--output` writes elsewhere.
@Suite struct ReadOnlyPlaceTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    for folder in ["place", "new"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o777], ofItemAtPath: run.path(folder))
    }
    try run.people("create", "place/a.db", "--version", "0", "--sample", "30", "--seed", "7")
  }

  enum Place: CaseIterable {
    case file, folder, fileAndFolder

    var sentence: String {
      self == .folder
        ? "place/a.db needs an upgrade, and its folder"
        : "place/a.db needs an upgrade and cannot be written"
    }
  }

  private func setPermissions(_ permissions: Int, _ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: run.path(name))
  }

  private func stamp(_ folder: String) throws -> [String: [String]] {
    let manager = FileManager.default
    var result: [String: [String]] = [:]
    for name in try manager.contentsOfDirectory(atPath: run.path(folder)) {
      let path = run.path("\(folder)/\(name)")
      let attributes = try manager.attributesOfItem(atPath: path)
      result[name] = [
        try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString(),
        "\((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0)",
      ]
    }
    return result
  }

  @Test("A page to edit a file that cannot be written is refused with the option that shows it")
  func browse() throws {
    let isRoot = getuid() == 0
    try run.people("--version", asNobody: isRoot)
    try run.people("create", "place/b.db", "--version", "5")
    try setPermissions(0o444, "place/b.db")

    let result = try run.people("browse", "place/b.db", "--json", asNobody: isRoot)

    #expect(result.status == 3)
    #expect(
      result.errors.contains("this user may only read it: add --read-only, or change"),
      "\(result.errors)")
    #expect((result.json["error"] as? [String: Any])?["code"] as? String == "STR5001")
  }

  /// Permissions do not bind root, so that another user runs the command.
  @Test(arguments: Place.allCases)
  func whatCannotBeWrittenIsRefusedAndUpgradedElsewhere(place: Place) throws {
    // The command is copied to where that user may run it before the folder is closed.
    let isRoot = getuid() == 0
    try run.people("--version", asNobody: isRoot)
    try setPermissions(place == .folder ? 0o666 : 0o444, "place/a.db")
    try setPermissions(place == .file ? 0o777 : 0o555, "place")
    defer { try? setPermissions(0o777, "place") }
    let before = try stamp("place")

    for arguments in [["migrate", "place/a.db"], ["migrate", "place/a.db", "--dry-run"]] {
      let result = try run.people(arguments, asNobody: isRoot)
      #expect(result.status == 3)
      #expect(result.errors.contains(place.sentence), "\(arguments): \(result.errors)")
      #expect(result.errors.contains("--output"))
    }
    let written = try run.people(
      "migrate", "place/a.db", "--output", "new/a.db", asNobody: isRoot)
    #expect(written.status == 0, "\(written.errors)")

    #expect(try stamp("place") == before)
    try setPermissions(0o777, "place")
    try setPermissions(0o666, "place/a.db")
    try run.people("migrate", "place/a.db")
    #expect(try run.digest("new/a.db") == run.digest("place/a.db"))
    #expect(try Set(stamp("new").keys) == ["a.db"])
  }

  /// Needs to mount a file system, which not every place where tests run permits.
  @Test(.enabled(if: MountedFolder.isPermitted), arguments: [false, true])
  func aMediumThatNobodyCanWriteIsRead(hasLog: Bool) throws {
    let medium = try MountedFolder(run.path("medium"), megabytes: 8)
    let source = try SQLiteShell("place/a.db", in: run.folder)
    if hasLog { try source.ask("UPDATE Person SET age = 99 WHERE _row = 1;") }
    for suffix in hasLog ? ["", "-wal", "-shm"] : [""] {
      try FileManager.default.copyItem(
        atPath: run.path("place/a.db" + suffix), toPath: run.path("medium/a.db" + suffix))
    }
    try source.close()
    try medium.makeReadOnly()
    let before = try stamp("medium")

    let refused = try run.people("migrate", "medium/a.db")
    #expect(refused.status == 3)
    #expect(refused.errors.contains("medium/a.db needs an upgrade and cannot be written"))
    #expect(try run.people("inspect", "medium/a.db").output.contains("upgradable"))
    #expect(try run.people("migrate", "medium/a.db", "--output", "new/a.db").status == 0)

    #expect(try stamp("medium") == before)
    try run.people("migrate", "place/a.db")
    #expect(try run.digest("new/a.db") == run.digest("place/a.db"))
  }
}
