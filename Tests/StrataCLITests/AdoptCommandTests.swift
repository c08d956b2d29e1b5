import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// `strata adopt` as a user types it.
@Suite("The adopt command")
struct AdoptCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ path: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func writeModel(_ path: String, _ entities: String) throws {
    try write(
      "\(path).xcdatamodel/contents",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\n\(entities)\n</model>\n")
  }

  /// Three versions with everything that an answer can be needed for.
  private func writeCoreData(_ folder: String = "Shop.xcdatamodeld") throws {
    try writeModel(
      "\(folder)/Shop",
      """
      <entity name="Item">
        <attribute name="title" attributeType="String"/>
        <attribute name="price" attributeType="Integer 64"/>
        <attribute name="tags" optional="YES" attributeType="Transformable"/>
      </entity>
      """)
    try writeModel(
      "\(folder)/Shop 2",
      """
      <entity name="Item">
        <attribute name="name" attributeType="String" elementID="title"/>
        <attribute name="price" attributeType="Double"/>
        <attribute name="size" attributeType="Integer 16"/>
        <attribute name="tags" optional="YES" attributeType="Transformable"/>
      </entity>
      """)
    try writeModel(
      "\(folder)/Shop 4",
      """
      <entity name="Item">
        <attribute name="label" attributeType="String"/>
        <attribute name="price" attributeType="Double"/>
        <attribute name="size" attributeType="Integer 16"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="size"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      """)
  }

  private func writeRoom(_ folder: String = "schemas") throws {
    for (version, column) in [(1, "title"), (3, "headline")] {
      try write(
        "\(folder)/com.example.Shop/\(version).json",
        #"{"formatVersion": 1, "database": {"version": \#(version), "entities": [{"tableName": "item", "createSql": "", "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}, {"fieldPath": "\#(column)", "columnName": "\#(column)", "affinity": "TEXT", "notNull": true}], "primaryKey": {"columnNames": ["id"], "autoGenerate": true}}]}}"#
      )
    }
  }

  private func writeDrift(_ folder: String = "drift_schemas") throws {
    try write(
      "\(folder)/drift_schema_v1.json",
      #"{"_meta": {"version": "1.2.0"}, "entities": [{"id": 0, "references": [], "type": "table", "data": {"name": "item", "columns": [{"name": "id", "moor_type": "int", "nullable": false, "dsl_features": ["auto-increment"]}]}}]}"#
    )
  }

  private func expectValid(_ result: CommandRunner.Result) throws -> JSON {
    #expect(result.status == 0, "\(result.errors)")
    let json = try JSON.parse(result.output)
    #expect(try JSONSchema(ofCommand: "adopt").problems(json) == [])
    return json
  }

  @Test("--json is as docs/json/adopt.schema.json says, for each system")
  func machineOutput() throws {
    try writeCoreData()
    try writeRoom()
    try writeDrift()
    let model = try expectValid(
      try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--output", "a", "--json"))
    #expect(model["format"]?.string == "strata.adopt/1")
    #expect(model["schema"]?.string == "Shop")
    #expect(model["open"]?.int == 4)
    #expect(model["checkErrors"]?.int == 4)
    #expect(
      model["versions"]?.array?.compactMap { $0["version"]?.int } == [1, 2, 4])
    #expect(
      model["files"]?.array?.compactMap(\.string) == [
        "migrations/Migrations.swift", "migrations/2.yaml", "migrations/4.yaml",
        "schemas/Models.swift", "schemas/Shop.yaml", "schemas/schema.lock",
        "schemas/versions/1.yaml", "schemas/versions/2.yaml", "schemas/versions/4.yaml",
        "ADOPTED.md",
      ])
    let room = try expectValid(
      try run.strata("adopt", "room", "schemas", "--output", "b", "--json", "--name", "App"))
    #expect(room["schema"]?.string == "App")
    #expect(room["report"]?.array?.count == 1)
    let drift = try expectValid(
      try run.strata("adopt", "drift", "drift_schemas", "--dry-run", "--json"))
    #expect(drift["output"] == .null)
    #expect(drift["dryRun"]?.bool == true)
  }

  @Test("adopt, then check: exactly the questions; answered and sealed: ok, and verify agrees")
  func adoptThenCheck() throws {
    try writeCoreData()
    let adopted = try run.strata(
      "adopt", "coredata", "Shop.xcdatamodeld", "--output", "out", "--date", "2026-11-21")
    #expect(adopted.status == 0)
    #expect(adopted.output.contains("4 changes are yours to decide, each a ??? in 2 step files:"))
    let places = ["--schemas", "out/schemas", "--migrations", "out/migrations"]
    let check = try run.strata(["check"] + places)
    #expect(check.status == 1)
    #expect(
      check.output.split(separator: "\n").filter { $0.hasPrefix("out/") } == [
        "out/migrations/2.yaml:9:12: error: a question is not answered: 'Item.price' was int64 and is double [STR4106]",
        "out/migrations/2.yaml:11:11: error: a question is not answered: 'Item.size' is added, required and without a default: existing objects have no value for it [STR4106]",
        "out/migrations/4.yaml:6:14: error: a question is not answered: 'Item.name' is gone and 'label' of the same type is new; as it stands, its values are lost: label, if it was renamed; else move it to drop: [STR4106]",
        "out/migrations/4.yaml:9:29: error: a question is not answered: 'Item.size' has to be unique, and two objects may agree in it: which one stays, first or last? [STR4106]",
      ])
    #expect(check.output.hasSuffix("check: 4 errors\n"))
    let again = ["adopt", "coredata", "Shop.xcdatamodeld", "--output", "out"]
    #expect(try run.strata(again).output.contains("4 changes are yours to decide"))

    try write(
      "out/migrations/2.yaml",
      """
      to: 2
      rename: { Item.title: name }
      set: { Item: { price: double(old.price) ?? 0.0, size: 1 } }
      """)
    try write(
      "out/migrations/4.yaml",
      """
      to: 4
      rename: { Item.name: label }
      drop: [Item.tags]
      deduplicate: { Item: { by: [size], keep: first } }
      """)
    let unsealed = try run.strata(["check"] + places)
    #expect(unsealed.status == 1)
    #expect(unsealed.output.contains("'strata freeze --repair' seals it"))
    #expect(try run.strata(["freeze", "--repair"] + places).status == 0)
    let sealed = try run.strata(["check"] + places)
    #expect(sealed.output == "check: ok\n")
    #expect(sealed.status == 0)
    #expect(try run.strata(["verify"] + places).status == 0)

    // What is answered is not asked again.
    #expect(!(try run.strata(again).output.contains("yours to decide")))
    let json = try expectValid(try run.strata(again + ["--json"]))
    #expect(json["open"]?.int == 0)
    #expect(json["checkErrors"]?.int == 0)
    #expect(try run.strata(["check"] + places).output == "check: ok\n")

    // A block that asks is no answer.
    try write(
      "out/migrations/2-Item.swift",
      """
      extension ShopMigrations {
        static let toVersion2 = Step(to: 2) { step in
          #error("say what becomes of Item")
        }
      }
      """)
    #expect(try run.strata(again).output.contains("2 changes are yours to decide"))
  }

  @Test("Two runs write the same bytes; --dry-run writes nothing and says the same")
  func determinism() throws {
    try writeCoreData()
    try writeRoom()
    for (system, source) in [("coredata", "Shop.xcdatamodeld"), ("room", "schemas")] {
      func adopt(_ more: String...) throws -> CommandRunner.Result {
        try run.strata(["adopt", system, source, "--date", "2026-11-21"] + more)
      }
      let dry = try adopt("--dry-run")
      #expect(!FileManager.default.fileExists(atPath: run.path("\(system)-1")))
      let one = try adopt("--output", "\(system)-1")
      let other = try adopt("--output", "\(system)-2")
      #expect(try run.shell("diff -r \(system)-1 \(system)-2").status == 0)
      func lines(_ result: CommandRunner.Result) -> [Substring] {
        result.output.split(separator: "\n").dropLast()
      }
      #expect(lines(dry) == lines(one))
      #expect(lines(one) == lines(other))
    }
  }

  @Test("A folder that is not empty is refused, and stays as it was; an empty one is taken")
  func existingOutput() throws {
    try writeCoreData()
    try write("full/mine.txt", "mine")
    try write("file", "mine")
    for output in ["full", "file"] {
      let refused = try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--output", output)
      #expect(refused.status == 3)
      #expect(refused.errors.contains("othing was written"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.path("full")) == ["mine.txt"])
    #expect(try String(contentsOfFile: run.path("full/mine.txt"), encoding: .utf8) == "mine")
    #expect(try String(contentsOfFile: run.path("file"), encoding: .utf8) == "mine")
    try FileManager.default.createDirectory(
      atPath: run.path("empty"), withIntermediateDirectories: false)
    #expect(
      try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--output", "empty").status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path("empty")).sorted() == [
        "ADOPTED.md", "migrations", "schemas",
      ])
  }

  @Test("The empty folder that the shell is in is filled, and is still the shell's")
  func currentFolder() throws {
    try writeRoom()
    let adopt = "strata adopt room ../schemas --output"
    let filled = try run.shell("mkdir here && cd here && \(adopt) . && ls")
    #expect(filled.status == 0, "\(filled.errors)")
    #expect(
      filled.output.hasSuffix("wrote .\nADOPTED.md\nmigrations\nschemas\n"), "\(filled.output)")
    let dotted = try run.shell("mkdir there && cd schemas && \(adopt) ../there/.")
    #expect(dotted.status == 0, "\(dotted.errors)")
    #expect(try run.shell("diff -r here there").output == "")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.folder.path).sorted()
        == ["here", "schemas", "there"])
    let again = try run.shell("cd here && \(adopt) .")
    #expect(again.output.contains(". has all versions of the source"), "\(again.errors)")
  }

  @Test("Wrong usage is 64")
  func usage() throws {
    try writeCoreData()
    #expect(try run.strata("adopt", "coredata", "Shop.xcdatamodeld").status == 64)
    #expect(try run.strata("adopt", "paper", "Shop.xcdatamodeld", "--dry-run").status == 64)
    #expect(try run.strata("adopt", "coredata", "--dry-run").status == 64)
    #expect(
      try run.strata(
        "adopt", "coredata", "Shop.xcdatamodeld", "--dry-run", "--date", "yesterday"
      ).status == 64)
    for (options, sentence) in [
      (["--answer", "bogus"], "'bogus' is no answer; there are required=zero"),
      (["--answer", "=gone=drop"], "'=gone=drop' is no answer"),
      (
        ["--answer", "gone=drop", "--answer", "gone=rename"],
        "'gone=drop' and 'gone=rename' answer the same questions"
      ),
      (["--name", "9x"], "'9x' cannot be the name of a schema: it is no identifier, which is"),
    ] {
      let result = try run.strata(
        ["adopt", "coredata", "Shop.xcdatamodeld", "--dry-run"] + options)
      #expect(result.status == 64)
      #expect(result.errors.contains(sentence), "\(result.errors)")
    }
  }

  @Test(
    "A folder without such a history is 3, with a sentence of its own",
    arguments: [
      ("coredata", "missing", "there is no 'missing'"),
      ("coredata", "empty", "'empty' holds no .xcdatamodel"),
      ("room", "empty", "'empty' holds no schema of Room"),
      ("drift", "empty", "'empty' holds no schema of drift"),
      ("room", "file.txt", "'file.txt' is not a folder"),
      ("coredata", "schemas", "it holds schemas of Room: strata adopt room"),
      ("coredata", "drift_schemas", "it holds schemas of drift: strata adopt drift"),
      ("room", "Shop.xcdatamodeld", "it holds a Core Data model: strata adopt coredata"),
      ("drift", "schemas", "it holds schemas of Room: strata adopt room"),
      ("coredata", "app", "name the model's own folder: app/Shop.xcdatamodeld"),
      ("coredata", "Shop.momd", "it is a compiled one"),
      ("coredata", "Old.xcdatamodel", "binary format of Xcode 3"),
    ])
  func wrongSource(system: String, source: String, sentence: String) throws {
    try writeCoreData()
    try writeCoreData("app/Shop.xcdatamodeld")
    try writeRoom()
    try writeDrift()
    try write("file.txt", "")
    try write("Shop.momd/Shop.mom", "")
    try write("Old.xcdatamodel/elements", "")
    try FileManager.default.createDirectory(
      atPath: run.path("empty"), withIntermediateDirectories: false)
    let result = try run.strata("adopt", system, source, "--output", "out")
    #expect(result.status == 3)
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.output == "")
    #expect(!FileManager.default.fileExists(atPath: run.path("out")))
  }

  @Test("A file that nobody may read, a pipe, a loop of links and a huge file are refused at once")
  func unreadable() throws {
    try writeCoreData()
    let contents = "Shop.xcdatamodeld/Shop.xcdatamodel/contents"
    let hugeText = "<model>" + String(repeating: " ", count: 5 << 20) + "</model>"
    for script in ["mkfifo", "ln -s contents", "mkdir"] {
      let result = try run.shell(
        "rm -rf \(contents); \(script) \(contents); strata adopt coredata Shop.xcdatamodeld --dry-run"
      )
      #expect(result.status == 3, "\(script)")
      #expect(result.errors.contains("contents"), "\(result.errors)")
    }
    try FileManager.default.removeItem(atPath: run.path(contents))
    try write(contents, hugeText)
    let huge = try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--dry-run")
    #expect(huge.status == 3)
    #expect(huge.errors.contains("is larger than 4 MiB"), "\(huge.errors)")
  }

  @Test("A version alone is a history of one, with its number and without it in the name")
  func oneVersion() throws {
    try writeCoreData()
    let result = try run.strata(
      "adopt", "coredata", "Shop.xcdatamodeld/Shop 2.xcdatamodel", "--output", "out", "--json")
    let json = try expectValid(result)
    #expect(json["schema"]?.string == "Shop")
    #expect(json["versions"]?.array?.compactMap { $0["version"]?.int } == [2])
    #expect(json["versions"]?.array?.compactMap { $0["name"]?.string } == ["Shop 2"])
    #expect(
      try run.strata("check", "--schemas", "out/schemas", "--migrations", "out/migrations").output
        == "check: ok\n")
  }

  @Test("A version of Xcode 3 is left out and said so; .xccurrentversion is held against the order")
  func versions() throws {
    try writeCoreData()
    try write("Shop.xcdatamodeld/Shop 3.xcdatamodel/elements", "binary")
    func current(_ name: String) throws -> CommandRunner.Result {
      try write(
        "Shop.xcdatamodeld/.xccurrentversion",
        "<?xml version=\"1.0\"?><plist><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>"
      )
      return try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--dry-run")
    }
    let newest = try current("Shop 4")
    #expect(newest.status == 0)
    #expect(newest.output.contains("version 3, 'Shop 3', is in the binary format of Xcode 3"))
    #expect(!newest.output.contains("the current version is"))
    #expect(try current("Shop 2").output.contains("the current version is 'Shop 2.xcdatamodel'"))
    let gone = try current("Shop 9")
    #expect(gone.status == 3)
    #expect(gone.errors.contains("names 'Shop 9.xcdatamodel', which is not there"))
  }

  @Test("Paths may hold spaces and any letters, and end with a slash")
  func paths() throws {
    try writeCoreData("Ünïcode dir/Mein Läden.xcdatamodeld")
    let result = try run.strata(
      "adopt", "coredata", "Ünïcode dir/Mein Läden.xcdatamodeld/", "--output", "Ünïcode dir/öut/")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      FileManager.default.fileExists(atPath: run.path("Ünïcode dir/öut/schemas/schema.lock")))
    #expect(
      try run.strata(
        "check", "--schemas", "Ünïcode dir/öut/schemas", "--migrations",
        "Ünïcode dir/öut/migrations"
      ).status == 1)
  }

  // MARK: - Again

  @Test(
    "Run again on a longer history it adds the versions; steps, answers and edited declarations stay"
  )
  func again() throws {
    try writeRoom()
    #expect(
      try run.strata(
        "adopt", "room", "schemas", "--output", "Shop", "--date", "2026-11-21", "--answer",
        "gone=rename"
      ).status == 0)
    let step = run.folder.appendingPathComponent("Shop/migrations/3.yaml")
    try Data((try String(contentsOf: step, encoding: .utf8) + "# decided by Ada\n").utf8).write(
      to: step)
    let seal = try String(
      contentsOf: run.folder.appendingPathComponent("Shop/schemas/schema.lock"), encoding: .utf8)
    let same = try run.strata("adopt", "room", "schemas", "--output", "Shop")
    #expect(same.status == 0, "\(same.errors)")
    #expect(same.output.contains("Shop has all versions of the source"))

    try write(
      "schemas/com.example.Shop/4.json",
      #"{"formatVersion": 1, "database": {"version": 4, "entities": [{"tableName": "item", "createSql": "", "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}, {"fieldPath": "caption", "columnName": "caption", "affinity": "TEXT", "notNull": true}], "primaryKey": {"columnNames": ["id"], "autoGenerate": true}}]}}"#
    )
    let json = try expectValid(
      try run.strata(
        "adopt", "room", "schemas/", "--output", "Shop/", "--date", "2026-11-22", "--json"))

    #expect(json["added"]?.array == [.int(4)])
    // The answer of the first run holds for the new version, too.
    #expect(json["open"]?.int == 0)
    let new = try String(
      contentsOf: run.folder.appendingPathComponent("Shop/migrations/4.yaml"), encoding: .utf8)
    #expect(new.contains("item.headline: caption"))
    #expect(try String(contentsOf: step, encoding: .utf8).hasSuffix("# decided by Ada\n"))
    let longer = try String(
      contentsOf: run.folder.appendingPathComponent("Shop/schemas/schema.lock"), encoding: .utf8)
    #expect(longer.hasPrefix(seal))
    #expect(longer.contains("4 date=2026-11-22"))
    let checked = try run.shell("cd Shop && strata check")
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    #expect(
      try String(
        contentsOf: run.folder.appendingPathComponent("Shop/schemas/Shop.yaml"), encoding: .utf8
      ).contains("version: 4"))
  }

  @Test("A version that became another one is named, and the folder stays as it is")
  func anotherVersion() throws {
    try writeRoom()
    #expect(try run.strata("adopt", "room", "schemas", "--output", "Shop").status == 0)
    let before = try run.contents()
    try writeRoom("other")
    try write(
      "other/com.example.Shop/3.json",
      #"{"formatVersion": 1, "database": {"version": 3, "entities": [{"tableName": "item", "createSql": "", "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}], "primaryKey": {"columnNames": ["id"], "autoGenerate": true}}]}}"#
    )

    let result = try run.strata("adopt", "room", "other", "--output", "Shop")

    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "version 3, '3.json', is another one than the version 3 of Shop: 'item' differs"))
    #expect(
      try run.contents().filter { $0.key.hasPrefix("Shop") }
        == before.filter { $0.key.hasPrefix("Shop") })
  }
}
