import Foundation
import RealmFixtures
import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

/// Realm files as a user brings them in and looks at them.
@Suite("Realm files on the command line")
struct RealmCommandTests {
  let run: CommandRunner
  private static let key = (0..<64).map { UInt8($0 + 1) }

  init() throws {
    run = try CommandRunner()
    try write("default.realm", FixtureFiles.all(count: 12).file)
    try write(
      "secret.realm", EncryptedCopy(key: Self.key).bytes(of: FixtureFiles.all(count: 12).file))
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: run.path(name)))
  }

  @Test("adopt, then what it says is next: check has no errors, inspect knows the file")
  func nextStepsWork() throws {
    let adopted = try run.strata("adopt", "realm", "default.realm", "--output", "out")
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(adopted.output.contains("Default: version 7, 2 models"))
    #expect(
      adopted.output.hasSuffix(
        """
        wrote out
        next: cd out && strata check && strata inspect Default.db && strata generate --output Generated
        open: try Store(path: "Default.db", schema: DefaultSchema.self, migrations: DefaultMigrations.self)

        """))
    let check = try run.strata(
      "check", "--schemas", "out/schemas", "--migrations", "out/migrations")
    #expect(check.output == "check: ok\n", "\(check.output)\(check.errors)")
    let inspection = try run.strata(
      "inspect", "out/Default.db", "--schemas", "out/schemas", "--migrations", "out/migrations")
    #expect(inspection.output.contains("schema   Default, version 7"))
    #expect(inspection.output.contains("status   current"))
    #expect(inspection.output.contains("objects  12 All"))
  }

  @Test("--json is as docs/json/adopt.schema.json says")
  func machineOutput() throws {
    let result = try run.strata("adopt", "realm", "default.realm", "--output", "out", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let json = try JSON.parse(result.output)
    #expect(try JSONSchema(ofCommand: "adopt").problems(json) == [])
    #expect(json["system"]?.string == "realm")
    #expect(json["data"]?["database"]?.string == "Default.db")
    #expect(json["data"]?["objects"]?["All"]?.int == 12)
    #expect(json["data"]?["leftOutFile"]?.string == "LEFT-OUT.jsonl")
  }

  @Test(
    "A newer file goes into a database whose project has had a version since; the folder says its name"
  )
  func intoALaterVersion() throws {
    let adopted = try run.strata(
      "adopt", "realm", "default.realm", "--output", "out", "--name", "App")
    #expect(adopted.status == 0, "\(adopted.errors)")
    // A value that older objects do not have.
    let changed = try run.shell(
      """
      cd out && sed -i.bak -e 's/^version: 7/version: 8/' -e 's/^      count: int?/&\\
            isPinned: { type: bool, default: true }/' schemas/App.yaml && rm schemas/*.bak && \
      strata freeze && strata migrate App.db
      """)
    #expect(changed.status == 0, "\(changed.errors)")
    let before = try run.strata("export", "out/App.db").output
    #expect(before.contains("\"isPinned\":true"))

    let result = try run.strata(
      "adopt", "realm", "default.realm", "--output", "out", "--into", "out/App.db")

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("out/App.db: 0 added, 0 updated, "), "\(result.output)")
    #expect(try run.strata("export", "out/App.db").output == before)
  }

  @Test("A key is 64 bytes or their hexadecimal digits")
  func keys() throws {
    try write("key", Self.key)
    try write("hex", Array((Hex.encode(Self.key) + "\n").utf8))
    try write("short", [1, 2, 3])
    for (name, output) in [("key", "a"), ("hex", "b")] {
      let result = try run.strata(
        "adopt", "realm", "secret.realm", "--key-file", name, "--output", output, "--name", "App",
        "--date", "2026-11-22")
      #expect(result.status == 0, "\(result.errors)")
    }
    let plain = try run.strata(
      "adopt", "realm", "default.realm", "--output", "c", "--name", "App", "--date", "2026-11-22")
    #expect(plain.status == 0)
    // The report says of an encrypted file that the database is in the clear.
    #expect(try run.shell("diff -r a b && diff -r -x ADOPTED.md a c").status == 0)
    let short = try run.strata(
      "adopt", "realm", "secret.realm", "--key-file", "short", "--output", "d")
    #expect(short.status == 3)
    #expect(short.errors.contains("holds 3 bytes. A Realm key is 64 bytes"))
    let none = try run.strata("adopt", "realm", "secret.realm", "--output", "d")
    #expect(none.status == 3)
    #expect(none.errors.contains("is encrypted and its key is needed"))
  }

  @Test("Of an encrypted file it is told that the database is not, and a key makes it one that is")
  func inTheClear() throws {
    try write("key", Self.key)
    try write("new.key", (0..<32).map { UInt8($0 + 100) })
    let adopt = ["adopt", "realm", "secret.realm", "--key-file", "key", "--name", "App"]
    let sentence = "the source is encrypted, and App.db is not, nor is LEFT-OUT.jsonl"

    let plain = try run.strata(adopt + ["--output", "plain"])
    #expect(plain.status == 0)
    #expect(plain.errors.contains("note: " + sentence), "\(plain.errors)")
    let report = try String(contentsOfFile: run.path("plain/ADOPTED.md"), encoding: .utf8)
    #expect(report.contains("In the clear: " + sentence))

    let words = adopt.joined(separator: " ")
    let sealed = try run.shell("STRATA_KEY_FILE=new.key strata \(words) --output sealed")
    #expect(sealed.status == 0, "\(sealed.errors)")
    #expect(
      sealed.errors
        == "note: the source is encrypted, and LEFT-OUT.jsonl, which has values of it, is not\n")
    let database = try Data(contentsOf: URL(fileURLWithPath: run.path("sealed/App.db")))
    #expect(!database.starts(with: Data("SQLite format 3".utf8)))

    // Values of an encrypted file that lie in the clear are for its owner alone.
    for name in ["plain/App.db", "plain/LEFT-OUT.jsonl", "sealed/LEFT-OUT.jsonl"] {
      #expect(try POSIXFiles().status(of: run.path(name))?.permissions == 0o600, "\(name)")
    }

    let refused = try run.strata(adopt + ["--into", "sealed/App.db"])
    #expect(refused.status == 3)
    #expect(
      refused.errors.contains(
        "sealed/App.db is encrypted, and no key of it was given: name the file that holds it with STRATA_KEY_FILE; --key-file is for that of the Realm file."
      ), "\(refused.errors)")
    let into = try run.shell("STRATA_KEY_FILE=new.key strata \(words) --into sealed/App.db")
    #expect(into.status == 0, "\(into.errors)")
    #expect(into.output.contains("sealed/App.db: 0 added, 0 updated, "), "\(into.output)")
    // A file that is not encrypted goes into an encrypted database, too.
    let other = try run.shell(
      "STRATA_KEY_FILE=new.key strata adopt realm default.realm --name App --into sealed/App.db")
    #expect(other.output.contains("sealed/App.db: 0 added, 0 updated, "), "\(other.errors)")
  }

  @Test("While an encrypted file is looked at, its values lie nowhere in the clear")
  func lookedAt() throws {
    try write("key", Self.key)
    let temporary = run.path("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)

    let command = try run.startPeople(
      ["browse", "secret.realm", "--key-file", "key"], environment: ["TMPDIR": temporary])
    #expect(command.nextLine()?.hasPrefix("http://127.0.0.1:") == true)

    let files = try FileManager.default.subpathsOfDirectory(atPath: temporary)
    #expect(files.contains { $0.hasSuffix(".db") })
    #expect(!files.contains { $0.hasSuffix("LEFT-OUT.jsonl") })
    for file in files {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: "\(temporary)/\(file)"))) ?? Data()
      #expect(bytes.range(of: Data("text 1".utf8)) == nil, "\(file)")
    }
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  @Test("Characters that a terminal acts on are escaped in sentences about files")
  func namesWithControls() throws {
    try write("a\u{1B}[31m.realm", [1, 2, 3])
    let name = "a\u{1B}[31m"
    for arguments in [
      ["adopt", "realm", "\(name).realm", "--output", "out"], ["inspect", "\(name).db"],
      ["export", "\(name).db"],
    ] {
      let result = try run.strata(arguments)
      #expect(!(result.errors + result.output).contains("\u{1B}"), "\(arguments)")
      #expect((result.errors + result.output).contains(#"a\u{1B}[31m"#), "\(result.errors)")
    }
  }

  @Test("--dry-run reads everything and writes nothing")
  func dryRun() throws {
    let before = try run.contents()
    let dry = try run.strata("adopt", "realm", "default.realm", "--dry-run")
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.contains("All: 12"))
    #expect(dry.output.hasSuffix("nothing was written (--dry-run)\n"))
    #expect(try run.contents() == before)
  }

  @Test("inspect and export read the file as it is, and leave nothing behind")
  func readDirectly() throws {
    let before = try run.contents()
    let inspection = try run.strata("inspect", "default.realm", "--json")
    #expect(inspection.status == 0, "\(inspection.errors)")
    let json = try JSON.parse(inspection.output)
    #expect(try JSONSchema(ofCommand: "inspect").problems(json) == [])
    let file = json["files"]?.array?.first
    #expect(file?["kind"]?.string == "realm")
    #expect(file?["version"]?.int == 7)
    // Silence would pass for "nothing is wrong".
    for flag in ["--check", "--rules"] {
      #expect(
        try run.strata("inspect", "default.realm", flag).errors
          .hasPrefix("note: default.realm is a Realm file, of which \(flag) looks at nothing"))
    }
    #expect(file?["counts"]?["All"]?.int == 12)
    let direct = try run.strata("export", "default.realm")
    #expect(direct.status == 0, "\(direct.errors)")
    #expect(try run.contents() == before)
    #expect(try run.strata("adopt", "realm", "default.realm", "--output", "out").status == 0)
    #expect(try run.strata("export", "out/Default.db").output == direct.output)
  }

  @Test("export names the Realm file of which it has no such model, and no copy that is gone")
  func noSuchModel() throws {
    let result = try run.strata("export", "default.realm", "--model", "Typo")

    #expect(result.status == 3)
    #expect(
      result.errors.hasPrefix("error: default.realm has no model Typo; it has All"),
      "\(result.errors)")
  }

  @Test("A file that is damaged has an answer of its own beside those of the others")
  func damagedAmongOthers() throws {
    // One text that ends before it begins, which is read with the objects alone.
    let note = FixtureClass(
      name: "Note",
      columns: [
        .init(name: "text", type: 2) { writer, _ in
          let (ends, nulls) = (writer.integers([0]), writer.integers([0]))
          return writer.refs([ends, writer.blob(Array("abc\0".utf8)), nulls])
        }
      ], count: 1)
    try write("damaged.realm", RealmFixture(classes: [note]).file)
    let sentence = "damaged.realm is a damaged Realm file: a text ends before it begins (byte "

    let result = try run.strata("inspect", "damaged.realm", "default.realm", "--digest", "--json")

    #expect(result.status == 0, "\(result.errors)")
    let json = try JSON.parse(result.output)
    #expect(try JSONSchema(ofCommand: "inspect").problems(json) == [])
    let files = json["files"]?.array
    #expect(files?.map { $0["status"]?.string } == ["damaged", "foreign"])
    #expect(files?.first?["error"]?["message"]?.string?.hasPrefix(sentence) == true)
    #expect(files?.first?["counts"]?["Note"]?.int == 1)
    #expect(files?.first?["dataDigest"] == nil)
    #expect(files?.last?["dataDigest"]?.string != nil)
    let exported = try run.strata("export", "damaged.realm")
    #expect(exported.status == 3)
    #expect(exported.errors.hasPrefix("error: " + sentence), "\(exported.errors)")
  }

  @Test("With the right key a damaged page of an encrypted file is damage, and no wrong key")
  func damagedPage() throws {
    try write("key", Self.key)
    var bytes = EncryptedCopy(key: Self.key).bytes(of: FixtureFiles.all(count: 300).file)
    // The last page has the node that all others are found from.
    bytes[bytes.count - 4096] ^= 1
    try write("broken.realm", bytes)
    let key = ["--key-file", "key"]
    let sentence = "an encrypted page is damaged: neither of its checksums is right (byte "

    let inspection = try run.strata(["inspect", "broken.realm", "--json"] + key)
    #expect(inspection.status == 0, "\(inspection.errors)")
    let file = try JSON.parse(inspection.output)["files"]?.array?.first
    #expect(file?["kind"]?.string == "realm")
    #expect(file?["encrypted"]?.bool == true)
    #expect(file?["status"]?.string == "damaged")
    #expect(
      file?["error"]?["message"]?.string?.hasPrefix(
        "broken.realm is a damaged Realm file: " + sentence) == true)
    for command in [["export", "broken.realm"], ["adopt", "realm", "broken.realm", "--dry-run"]] {
      let result = try run.strata(command + key)
      #expect(result.status == 3)
      #expect(result.errors.contains("'broken.realm' cannot be read: " + sentence), "\(result)")
    }
  }

  @Test("Two objects with one primary key keep a file from having a digest, and are named")
  func equalKeys() throws {
    let note = FixtureClass(
      name: "Note",
      columns: [.init(name: "id", type: 0) { writer, _ in writer.integers([7, 7]) }], count: 2,
      primaryKey: 0)
    try write("equal.realm", RealmFixture(classes: [note]).file)

    let result = try run.strata("inspect", "equal.realm", "default.realm", "--digest")

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("status   damaged"), "\(result.output)")
    #expect(result.output.contains("A database has one object with a key"), "\(result.output)")
    #expect(result.output.contains("objects  12 All"), "\(result.output)")
  }

  @Test("inspect and export read an encrypted file with its key")
  func readEncrypted() throws {
    try write("key", Self.key)
    let key = ["--key-file", "key"]
    let inspection = try run.strata(["inspect", "secret.realm", "--json"] + key)
    let file = try JSON.parse(inspection.output)["files"]?.array?.first
    #expect(file?["kind"]?.string == "realm")
    #expect(file?["encrypted"]?.bool == true)
    #expect(file?["judged"]?.bool == true)
    #expect(file?["counts"]?["All"]?.int == 12)
    let exported = try run.strata(["export", "secret.realm"] + key)
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(try run.strata("export", "default.realm").output == exported.output)
    #expect(try run.strata("export", "secret.realm").status == 3)
    // The key of other files does no harm to a plain one.
    #expect(try run.strata(["export", "default.realm"] + key).output == exported.output)
  }
}
