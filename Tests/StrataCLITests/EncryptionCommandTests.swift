import Foundation
import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

/// The commands on encrypted and damaged files, run as a user does.
@Suite("Encrypted and damaged files, with the built commands")
struct EncryptionCommandTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try write("a.key", Data((0..<32).map { UInt8($0 &* 5 &+ 1) }))
    try write("b.key", Data("open sesame\n".utf8))
  }

  private func write(_ name: String, _ content: Data) throws {
    try content.write(to: run.folder.appendingPathComponent(name))
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: run.folder.appendingPathComponent(name))
  }

  private func digest(_ file: String, _ key: String? = nil) throws -> String? {
    let arguments =
      ["inspect", file, "--digest", "--json"] + (key.map { ["--key-file", $0] } ?? [])
    return try run.people(arguments, asNobody: false).firstFile["dataDigest"] as? String
  }

  @Test("a tool that was built without encryption says how to get it, and writes nothing")
  func withoutTheTrait() throws {
    try run.people("create", "a.db", "--sample", "20")
    let before = try bytes("a.db")
    let refused =
      "is of no use here: this program was built without encryption. Add traits: [\"Encryption\"]"
    for arguments in [
      ["create", "b.db", "--key-file", "a.key"], ["migrate", "a.db", "--key-file", "a.key"],
      ["inspect", "a.db", "--key-file", "a.key"], ["rekey", "a.db", "--new-key-file", "a.key"],
    ] {
      let result = try run.peopleDemo(arguments)
      #expect(result.status == 3, "\(arguments)")
      #expect(result.errors.contains(refused) && result.errors.contains("[STR5012]"))
    }
    let json = try run.peopleDemo(["create", "b.db", "--key-file", "a.key", "--json"]).json
    let error = try #require(json["error"] as? [String: Any])
    #expect(error["code"] as? String == "STR5012")
    #expect((error["message"] as? String)?.hasSuffix("or leave the key out.") == true)
    #expect(try bytes("a.db") == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.folder.path).sorted()
        == ["a.db", "a.key", "b.key"])

    // An encrypted file without its key, and a plain one.
    try run.people("rekey", "a.db", "--new-key-file", "a.key")
    #expect(try run.peopleDemo(["inspect", "a.db"]).output.contains("is encrypted"))
    #expect(try run.peopleDemo(["create", "c.db", "--sample", "20"]).status == 0)
  }

  @Test(
    "a file is encrypted whatever its name", arguments: ["a?vfs=unix", "vfs=", "file:a?vfs=unix"])
  func namesLikeParameters(name: String) throws {
    let made = try run.people("create", "\(name).db", "--sample", "20", "--key-file", "a.key")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try bytes("\(name).db").prefix(16) != Data(Database.magic))
    #expect(try run.people("inspect", "\(name).db").output.contains("is encrypted"))
  }

  @Test(
    "a file of another user gets no other key, because it would become this user's",
    .enabled(if: getuid() == 0, "only root can become another user"))
  func ownersAreKept() throws {
    try run.people("create", "a.db", "--sample", "20")
    for name in ["a.db", "a.key"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o666], ofItemAtPath: run.path(name))
    }
    let before = try digest("a.db")

    let refused = try run.people(["rekey", "a.db", "--new-key-file", "a.key"], asNobody: true)

    #expect(refused.status == 3)
    #expect(refused.errors.contains("a.db belongs to user 0 and group 0"), "\(refused.errors)")
    #expect(try before != nil && digest("a.db") == before)
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: run.folder.path)
        .contains { $0.contains("rekey") })
  }

  @Test("the rows of a plain database go into an encrypted one")
  func adoptIntoEncrypted() throws {
    let shop = try Database(path: run.path("shop.sqlite"), mode: .create)
    try shop.execute("CREATE TABLE Item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try shop.execute("INSERT INTO Item VALUES (1, 'secret one'), (2, 'secret two')")
    let adopt = "strata adopt sqlite shop.sqlite --name Shop"

    let made = try run.shell("STRATA_KEY_FILE=a.key \(adopt) --output out")
    #expect(made.status == 0 && made.errors == "", "\(made.errors)")
    #expect(try bytes("out/Shop.db").range(of: Data("secret".utf8)) == nil)
    // What it says is next works, also while the variable names the file by a path that leads nowhere in the other folder.
    #expect(made.output.contains("; configuration.encryptionKey = …; try Store("))
    let next = try #require(
      made.output.split(separator: "\n").last { $0.hasPrefix("next: ") }?.dropFirst(6))
    let steps = try run.shell("export STRATA_KEY_FILE=a.key; \(next)")
    #expect(steps.status == 0, "\(steps.output)\(steps.errors)")

    try shop.execute("INSERT INTO Item VALUES (3, 'secret three')")
    let refused = try run.shell("\(adopt) --into out/Shop.db --json")
    #expect(
      refused.errors.contains(
        "out/Shop.db is encrypted, and no key of it was given: name the file that holds it with STRATA_KEY_FILE. Nothing was written. [STR5106]"
      ), "\(refused.errors)")
    let error = try #require(refused.json["error"] as? [String: Any])
    #expect(error["code"] as? String == "STR5106")
    #expect((error["message"] as? String)?.hasSuffix("Nothing was written.") == true)
    let merged = try run.shell("STRATA_KEY_FILE=a.key \(adopt) --into out/Shop.db")
    #expect(merged.output.contains("out/Shop.db: 1 added, 0 updated, "), "\(merged.errors)")
    let lines = try run.strata(["export", "out/Shop.db", "--key-file", "a.key"])
    #expect(lines.output.contains("secret one") && lines.output.contains("secret three"))

    // A key that is said to be the source's is asked of it.
    let plain = try run.strata(
      ["adopt", "sqlite", "shop.sqlite", "--key-file", "a.key", "--output", "other"])
    #expect(plain.status == 3)
    #expect(
      plain.errors
        == "error: shop.sqlite was not opened: --key-file names its key, and it is not encrypted. Leave --key-file out; "
        + "STRATA_KEY_FILE names the key that the database which takes its objects is to have. [STR5122]\n"
    )
  }

  @Test("docs counts in encrypted samples")
  func docsWithSamples() throws {
    for folder in ["schemas", "migrations", "samples"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
    }
    func declare(_ version: Int, _ type: String) throws {
      try write(
        "schemas/a.yaml",
        Data(
          "schema: Test\nversion: \(version)\nmodels:\n  P: { properties: { b: \(type) } }\n".utf8))
    }
    try declare(0, "string?")
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
    let create = ["create", "samples/a.db", "--version", "0", "--sample", "5"]
    #expect(try run.strata(create + ["--key-file", "a.key"]).status == 0)
    try declare(1, "string")
    try write("migrations/1.yaml", Data("to: 1\nset:\n  P: { b: old.b ?? \"\" }\n".utf8))

    let docs = ["docs", "--markdown", "--samples", "samples"]
    let named = try run.strata(docs + ["--key-file", "a.key"])
    let inherited = try run.shell("STRATA_KEY_FILE=a.key strata " + docs.joined(separator: " "))

    for result in [named, inherited] {
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      #expect(result.output.contains(" of 5 P have a null b in samples/a.db"))
      #expect(result.output.contains("| `samples/a.db` (v0) | v1 | `P` | 5 | b computed |"))
    }
    let without = try run.strata(docs)
    #expect(without.errors.contains("samples/a.db is encrypted, and no key was given"))
  }

  @Test("rekey encrypts, changes key and cipher, and decrypts")
  func rekey() throws {
    try run.people("create", "a.db", "--sample", "20")
    let wanted = try #require(try digest("a.db"))
    let first = try run.people("rekey", "a.db", "--new-key-file", "a.key", "--json")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.json["from"] as? String == "plain" && first.json["to"] as? String == "aes-gcm")
    #expect(try JSONSchema(ofCommand: "rekey").problems(try JSON.parse(first.output)) == [])
    #expect(try digest("a.db", "a.key") == wanted)
    #expect(try bytes("a.db").range(of: Data("SQLite format".utf8)) == nil)

    let steps: [([String], String, String)] = [
      (["--key-file", "a.key", "--new-key-file", "b.key"], "aes-gcm", "b.key"),
      (["--key-file", "b.key", "--cipher", "sqlcipher"], "sqlcipher", "b.key"),
      (["--key-file", "b.key", "--new-key-file", "a.key"], "sqlcipher", "a.key"),
      (["--key-file", "a.key", "--cipher", "aes-gcm"], "aes-gcm", "a.key"),
    ]
    for (options, form, key) in steps {
      let result = try run.people(["rekey", "a.db", "--json"] + options, asNobody: false)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.json["to"] as? String == form)
      #expect(try digest("a.db", key) == wanted, "\(options)")
    }
    for isEncrypted in [true, false] {
      let key = isEncrypted ? ["--key-file", "a.key"] : []
      let result = try run.people(["rekey", "a.db", "--decrypt"] + key, asNobody: false)
      #expect(result.status == 0)
      #expect(result.errors.contains("note: a.db was not encrypted") == !isEncrypted)
      #expect(try digest("a.db") == wanted)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.folder.path).sorted()
        == ["a.db", "a.key", "b.key"])
  }

  @Test("rekey gives checksums and takes them away")
  func checksums() throws {
    try run.people("create", "a.db", "--sample", "200")
    let wanted = try #require(try digest("a.db"))
    let steps: [([String], String, String, String?)] = [
      (["--checksums"], "plain", "checksums", nil),
      (["--no-checksums"], "checksums", "plain", nil),
      (["--checksums"], "plain", "checksums", nil),
      (["--new-key-file", "a.key"], "checksums", "aes-gcm", "a.key"),
      (["--key-file", "a.key", "--decrypt", "--checksums"], "aes-gcm", "checksums", nil),
      (["--new-key-file", "b.key", "--cipher", "sqlcipher"], "checksums", "sqlcipher", "b.key"),
      (["--key-file", "b.key", "--decrypt", "--checksums"], "sqlcipher", "checksums", nil),
    ]
    for (options, from, to, key) in steps {
      let result = try run.people(["rekey", "a.db", "--json"] + options, asNobody: false)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.json["from"] as? String == from && result.json["to"] as? String == to)
      #expect(try JSONSchema(ofCommand: "rekey").problems(try JSON.parse(result.output)) == [])
      #expect(try digest("a.db", key) == wanted, "\(options)")
      let look = ["inspect", "a.db", "--check"] + (key.map { ["--key-file", $0] } ?? [])
      #expect(try run.people(look, asNobody: false).output.contains("nothing is wrong"))
      let reserved = ["plain": 0, "checksums": 8][to]
      if let reserved { #expect(try bytes("a.db")[20] == reserved) }
      // Every SQLite reads what has no key.
      if key == nil {
        let shell = try SQLiteShell("a.db", in: run.folder)
        #expect(try shell.ask("PRAGMA integrity_check; PRAGMA journal_mode;") == ["ok", "wal"])
        try shell.close()
      }
    }
    var content = try bytes("a.db")
    content[content.count - 100] ^= 1
    try write("a.db", content)
    #expect(try run.people("inspect", "a.db", "--check").output.contains("damaged"))
  }

  @Test("Encrypted pages have no checksums of that kind")
  func checksumsOfEncryptedPages() throws {
    try run.people("create", "a.db", "--key-file", "a.key")
    let before = try bytes("a.db")
    let refused = try run.people("rekey", "a.db", "--key-file", "a.key", "--checksums")
    #expect(refused.status == 64, "\(refused.errors)")
    #expect(refused.errors.contains("encrypted pages have no checksums"))
    _ = try run.shell("echo Dear diary > diary.db")
    let other = try run.people("rekey", "diary.db", "--checksums")
    #expect(other.status == 3 && other.errors.contains("is not a database file"), "\(other.errors)")
    #expect(
      try run.people("rekey", "a.db", "--checksums", "--new-key-file", "b.key").status == 64)
    #expect(try bytes("a.db") == before)
  }

  @Test("Every command that takes a database takes its key", arguments: ["aes-gcm", "sqlcipher"])
  func commands(cipher: String) throws {
    let key = ["--key-file", "a.key"]
    func people(_ arguments: String...) throws -> CommandRunner.Result {
      let result = try run.people(arguments + key, asNobody: false)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      return result
    }
    _ = try people("create", "a.db", "--version", "0", "--sample", "12", "--cipher", cipher)
    #expect(try people("inspect", "a.db", "--json").firstFile["encrypted"] as? Bool == true)
    #expect(try people("plan", "a.db").output.contains("version 0"))
    _ = try people("migrate", "a.db", "--backup", "old.db", "--jobs", "2")
    _ = try people("migrate", "old.db", "--output", "new.db")
    #expect(try digest("a.db", "a.key") == digest("new.db", "a.key"))
    let lines = try people("export", "a.db").output
    #expect(lines.contains("$model"))
    try write("lines.jsonl", Data(lines.utf8))
    _ = try people("create", "b.db", "--cipher", cipher)
    _ = try people("import", "b.db", "lines.jsonl")
    #expect(try people("inspect", "a.db", "--check").output.contains("nothing is wrong"))
    _ = try people("salvage", "a.db", "--output", "saved.db")
    #expect(try digest("a.db", "a.key") == digest("saved.db", "a.key"))
    for name in try FileManager.default.contentsOfDirectory(atPath: run.folder.path)
    where name.hasSuffix(".db") || name.hasSuffix("-wal") {
      #expect(try bytes(name).range(of: Data("SQLite format".utf8)) == nil, "\(name)")
    }
  }

  @Test("The variable names the key file, too")
  func variable() throws {
    let result = try run.shell(
      "export STRATA_KEY_FILE=a.key; people create a.db --sample 3 >create.txt && people inspect a.db --json"
    )
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.firstFile["status"] as? String == "current")
    let without = try run.people("inspect", "a.db", "--json").firstFile
    #expect(without["encrypted"] as? Bool == true)
    #expect((without["error"] as? [String: Any])?["code"] as? String == "STR5106")
  }

  /// Content of a key file, what it is taken for, and the end of the note where there is one.
  static let keyFiles: [(content: String, form: String, doubt: String?)] = [
    (
      "0123456789abcdef0123456789abcdef", "a key of 32 bytes",
      "it is a line of text: with `passphrase:` before it, it is a passphrase"
    ),
    (
      String(repeating: "ab", count: 32) + "\n", "a key of 32 bytes, from 64 hexadecimal digits",
      nil
    ),
    (
      String(repeating: "ab", count: 31) + "\n", "a passphrase of 62 characters",
      "it is hexadecimal digits alone, of which a key has 64 or 128"
    ),
    (
      String(repeating: "é", count: 15) + "!\n", "a key of 32 bytes",
      "it is a line of text: with `passphrase:` before it, it is a passphrase"
    ),
    (
      "passphrase:0123456789abcdef0123456789abcdef", "a passphrase of 32 characters", nil
    ),
    ("open sesame\n", "a passphrase of 11 characters", nil),
  ]

  @Test("rekey and create say what a key file was taken for", arguments: keyFiles)
  func formOfKey(content: String, form: String, doubt: String?) throws {
    try write("new.key", Data(content.utf8))
    let note = doubt.map { "note: new.key was taken for \(form); \($0)\n" } ?? ""

    let made = try run.people("create", "a.db", "--key-file", "new.key")
    #expect(made.output.contains("version 5, empty, encrypted with \(form)\n"), "\(made.output)")
    #expect(made.errors == note)
    try run.people("create", "b.db")
    let changed = try run.people("rekey", "b.db", "--new-key-file", "new.key")
    #expect(changed.output == "b.db: plain → aes-gcm, \(form)\n")
    #expect(changed.errors == note)
    // It is no new one any more.
    let other = try run.people("rekey", "b.db", "--key-file", "new.key", "--cipher", "sqlcipher")
    #expect(other.output == "b.db: aes-gcm → sqlcipher\n" && other.errors == "")
  }

  @Test("32 bytes are the key, also where they are hexadecimal digits")
  func digitsThatAreBytes() throws {
    let digits = "0123456789abcdef0123456789abcdef"
    try write("bytes.key", Data(digits.utf8))
    try write("digits.key", Data(digits.utf8.map { String($0, radix: 16) }.joined().utf8))
    try write("text.key", Data("passphrase:\(digits)".utf8))
    try run.people("create", "a.db", "--sample", "3", "--key-file", "digits.key")
    #expect(try digest("a.db", "bytes.key") == digest("a.db", "digits.key"))
    #expect(try digest("a.db", "bytes.key") != nil && digest("a.db", "text.key") == nil)
  }

  @Test(
    "A secret store gives a key by a pipe; commands that start others say that they need a file")
  func keyFromAPipe() throws {
    try run.people("create", "a.db", "--sample", "3", "--key-file", "b.key")
    try run.people("create", "b.db", "--version", "0", "--key-file", "b.key")
    for command in ["inspect a.db --json", "export a.db", "plan b.db", "migrate b.db"] {
      let named = try run.shell("people \(command) --key-file b.key")
      let piped = try run.shell("cat b.key | people \(command) --key-file /dev/stdin")
      let variable = try run.shell("cat b.key | STRATA_KEY_FILE=/dev/stdin people \(command)")
      for result in [piped, variable] {
        #expect(result.status == 0, "\(command): \(result.errors)")
        if !command.hasPrefix("migrate") { #expect(result.output == named.output) }
      }
    }
    let rekeyed = try run.shell(
      "mkfifo pipe && (timeout 600 sh -c 'cat a.key > pipe' & people rekey a.db --key-file b.key --new-key-file pipe)"
    )
    #expect(rekeyed.status == 0, "\(rekeyed.errors)")
    #expect(try digest("a.db", "a.key") != nil)

    for command in ["verify", "migrate a.db b.db"] {
      let refused = try run.shell("cat a.key | people \(command) --key-file /dev/stdin")
      #expect(refused.status == 64, "\(refused.errors)")
      #expect(refused.errors.contains("a pipe gives it once: name a file with --key-file"))
    }
  }

  @Test("A key that does not fit is an error of its own")
  func wrongKeys() throws {
    try run.people("create", "plain.db")
    try run.people("create", "a.db", "--key-file", "a.key")
    try run.people("create", "c.db", "--key-file", "a.key", "--cipher", "sqlcipher")
    for (file, key, code) in [
      ("a.db", "b.key", "STR5121"), ("c.db", "b.key", "STR5121"), ("plain.db", "a.key", "STR5122"),
    ] {
      let before = try bytes(file)
      let result = try run.people("migrate", file, "--key-file", key)
      #expect(result.status == 3 && result.errors.contains(code), "\(file): \(result.errors)")
      #expect(try bytes(file) == before)
    }
    for file in ["a.db", "c.db"] {
      let result = try run.people("migrate", file)
      #expect(result.status == 3 && result.errors.contains("STR5106"), "\(result.errors)")
    }
    let missing = try run.people("inspect", "a.db", "--key-file", "none.key")
    #expect(missing.status == 3 && missing.errors.contains("none.key does not exist"))
    try write("short.key", Data())
    #expect(try run.people("inspect", "a.db", "--key-file", "short.key").status == 3)
    try write("long.key", Data(repeating: UInt8(ascii: "a"), count: 4097))
    let long = try run.people("inspect", "a.db", "--key-file", "long.key")
    #expect(
      long.errors
        == "error: The key file long.key holds no key: it has more than 4,096 bytes. [STR5125]\n")
  }

  @Test("What is readable of a damaged file is saved, and the rest is told")
  func salvage() throws {
    try run.people("create", "a.db", "--sample", "3000")
    var content = try bytes("a.db")
    let page = 4096
    // Not the first pages, which say what the file is.
    for number in stride(from: 30, to: content.count / page, by: 40) {
      content.replaceSubrange(
        number * page..<(number + 1) * page, with: Data(repeating: 0xA5, count: page))
    }
    try write("damaged.db", content)
    let checked = try run.people("inspect", "damaged.db", "--check", "--json")
    #expect(checked.firstFile["status"] as? String == "damaged")
    #expect(((checked.firstFile["problems"] as? [Any]) ?? []).count > 0)
    #expect(try JSONSchema(ofCommand: "inspect").problems(try JSON.parse(checked.output)) == [])

    let result = try run.people("salvage", "damaged.db", "--output", "saved.db", "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try JSONSchema(ofCommand: "salvage").problems(try JSON.parse(result.output)) == [])
    #expect(((result.json["losses"] as? [Any]) ?? []).count > 0)
    #expect(try bytes("damaged.db") == content)
    let saved = try run.people("inspect", "saved.db", "--check", "--json").firstFile
    #expect(saved["status"] as? String == "current")
    #expect((saved["problems"] as? [Any])?.isEmpty == true)
    let before = try run.people("inspect", "a.db", "--json").firstFile["counts"] as? [String: Int]
    let after = saved["counts"] as? [String: Int]
    #expect((after?["Person"] ?? 0) > (before?["Person"] ?? 0) / 2)
    let whole = try run.people("salvage", "a.db", "--output", "whole.db")
    #expect(whole.output.contains("nothing was lost"))
    #expect(try digest("whole.db") == digest("a.db"))
  }
}
