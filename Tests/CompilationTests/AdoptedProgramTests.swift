import CoreDataFixtures
import Foundation
import RealmFixtures
import Testing

/// What `strata adopt` writes opens with generated classes at once: the next steps that it prints, word for word, then a program of
/// the classes and the line that opens the database.
@Suite struct AdoptedProgramTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func shell(_ script: String, in place: URL) throws -> SwiftCommand.Result {
    try SwiftCommand.run(
      ["-c", "PATH=\"$0:$PATH\"\n" + script, SwiftCommand.products.path], executable: "sh",
      in: place)
  }

  /// Adopts a file into `My App`, follows what is printed, and runs a program there.
  ///
  /// - Parameters:
  ///   - command: what stands behind `strata adopt`.
  ///   - declare: changes the declarations before the classes are generated.
  /// - Returns: what the program prints.
  private func run(
    adopting command: String, declaring declare: (String) -> String = { $0 }, _ program: String
  ) throws -> [String] {
    defer { try? FileManager.default.removeItem(at: folder) }
    let adopted = try shell("strata adopt \(command) --output 'My App'", in: folder)
    #expect(adopted.status == 0, "\(adopted.output)")
    func printed(_ mark: String) throws -> String {
      let lines = adopted.output.split(separator: "\n").map(String.init)
      return String(try #require(lines.last { $0.hasPrefix(mark) }).dropFirst(mark.count))
    }
    let app = folder.appendingPathComponent("My App")
    let schemas = app.appendingPathComponent("schemas")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: schemas.path).first {
        $0.hasSuffix(".yaml")
      })
    let declarations = schemas.appendingPathComponent(file)
    try declare(try String(contentsOf: declarations, encoding: .utf8))
      .write(to: declarations, atomically: true, encoding: .utf8)

    let next = try shell(try printed("next: "), in: folder)
    #expect(next.status == 0, "\(next.output)")
    try """
    import Foundation
    import Strata

    let store = \(try printed("open: "))
    \(program)
    """.write(
      to: app.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    let generated = app.appendingPathComponent("Generated")
    let files = try FileManager.default.contentsOfDirectory(atPath: generated.path)
      .filter { $0.hasSuffix(".swift") }.map { generated.appendingPathComponent($0).path }
    let executable = app.appendingPathComponent("program").path
    let linked = try SwiftCommand.link(
      files + [app.appendingPathComponent("main.swift").path], to: executable)
    try #require(linked.status == 0, "\(linked.output)")
    let result = try SwiftCommand.run([], executable: executable, in: app)
    #expect(result.status == 0, "\(result.output)")
    let after = try shell("strata inspect --check *.db", in: app)
    #expect(after.status == 0, "\(after.output)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test("A Realm file: values, links, lists, sets, an inverse that is declared, and a new object")
  func realm() throws {
    try Data(FixtureFiles.all(count: 12).file).write(
      to: folder.appendingPathComponent("default.realm"))

    let lines = try run(
      adopting: "realm default.realm",
      // An inverse is computed, and of a new version.
      declaring: {
        $0.replacingOccurrences(of: "version: 7", with: "version: 8")
          .replacingOccurrences(
            of: "\n      parent: All?",
            with: "\n      parent: All?\n      children: { linkingObjects: All.parent }")
      },
      """
      let all = store.objects(All.self).sorted(by: \\.id)
      print(all.count, all.map(\\.id).reduce(0, +), all.map(\\.double).compactMap(\\.self).max() ?? 0)
      guard let root = all.first, let fifth = try all.filter("id = 2").first else { fatalError() }
      print(fifth.parent === root || fifth.parent == root, fifth.count ?? 0, fifth.decimal)
      print(Array(fifth.numbers), fifth.links.map(\\.id), fifth.names.sorted(), fifth.scores["one"] ?? 0)
      print(root.children.map(\\.id).sorted())
      try store.write {
        let new = All()
        new.id = 1_000
        (new.decimal, new.float, new.uuid, new.pieces) = (2.5, 1, UUID(), Data())
        new.parent = root
        new.numbers.append(7)
        new.links.append(fifth)
        try store.add(new)
      }
      try store.close()
      let again = try Store(path: "Default.db", schema: DefaultSchema.self, migrations: DefaultMigrations.self)
      guard let new = try again.objects(All.self).filter("id = 1000").first else { fatalError() }
      print(again.objects(All.self).count, new.parent?.children.count ?? 0, Array(new.numbers), new.links.map(\\.id))
      """)

    #expect(
      lines == [
        "12 30 11.0", "true 42949672960 5.25", #"[5, -1] [-3, -2] ["a", "b5"] 5.0"#,
        "[-2, 0, 2, 4, 6, 8]", "13 7 [7] [2]",
      ])
  }

  @Test("A Core Data store: attributes, links, an ordered list, sets, inverses, and a new object")
  func coreData() throws {
    _ = try StoreFile.write(in: folder.path)

    let lines = try run(
      adopting: "coredata Shop.sqlite",
      """
      func name(_ value: AnyValue) -> String {
        value.object(as: Person.self)?.name ?? value.object(as: Employee.self)?.name ?? "?"
      }
      guard let acme = try store.objects(Company.self).filter("name = 'Acme'").first,
        let ada = try store.objects(Person.self).filter("name = 'Ada'").first,
        let edsger = try store.objects(Employee.self).filter("name = 'Edsger'").first,
        let red = try store.objects(Tag.self).filter("label = 'red'").first
      else { fatalError() }
      print(ada.flag, ada.rate ?? 0, ada.score ?? 0, ada.birthday?.timeIntervalSinceReferenceDate ?? 0)
      print(ada.company?.name ?? "", edsger.salary, edsger.boss.map(name) ?? "", acme.staff.map(name))
      print(ada.tags.compactMap(\\.label).sorted(), red.peopleOfPerson.map(\\.name), red.peopleOfEmployee.map(\\.name))
      print(try store.objects(Employee.self).filter("boss = %@", ada).map(\\.name))
      try store.write {
        let new = Employee()
        new.name = "Donald"
        new.salary = 5
        new.company = acme
        new.boss = AnyValue(ada)
        new.tags.insert(red)
        try store.add(new)
        acme.staff.insert(AnyValue(new), at: 0)
      }
      try store.close()
      let again = try Store(path: "Shop.db", schema: ShopSchema.self, migrations: ShopMigrations.self)
      guard let new = try again.objects(Employee.self).filter("name = 'Donald'").first else { fatalError() }
      print(new.company?.staff.map(name) ?? [], new.tags.first?.peopleOfEmployee.count ?? 0)
      """)

    #expect(
      lines == [
        "true 0.5 1.25 12.5", #"Acme 70000 Barbara ["Edsger", "Grace", "Ada"]"#,
        #"["blue", "red"] ["Ada"] ["Edsger"]"#, #"["Barbara"]"#,
        #"["Donald", "Edsger", "Grace", "Ada"] 2"#,
      ])
  }
}
