import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// An index has columns that the table has, too, and is smaller: what is damaged in it is none of the objects.
@Suite struct DamagedIndexTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static func models(_ change: (inout [Property]) -> Void = { _ in }) -> [Model] {
    var properties: [Property] = [
      Property(name: "age", type: .value(ValueType(.scalar(.int))), index: .ordinary),
      Property(name: "rank", type: .value(ValueType(.scalar(.int))), index: .ordinary),
      .list("dogs", of: "Dog"), .list("pets", of: "Dog"),
      Property(name: "friends", type: .set(ValueType(.object("Person")))),
    ]
    change(&properties)
    return [Model(name: "Dog", properties: [.required("name", .string)])]
      + [Model(name: "Person", properties: properties)]
  }

  /// A list becomes a set on the way.
  private static let target = UpgradeTarget(
    history: .chained(
      "Test",
      [
        ("2026-01-01", Schema(name: "Test", version: 0, models: models()), nil),
        (
          "2026-02-01",
          Schema(
            name: "Test", version: 1,
            models: models { properties in
              properties[3] = Property(name: "pets", type: .set(ValueType(.object("Dog"))))
              properties.append(.optional("email", .string))
            }), step(1) { _ in }
        ),
      ]),
    steps: [])

  private func lines(of file: String) throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(file, target: nil) { lines.append($0) }
    return lines
  }

  /// Where each of two indexes stands in the file becomes the other one's place.
  private func exchange(_ first: String, _ second: String, in file: String) throws {
    let database = try Database(path: file, mode: .readWrite)
    defer { database.close() }
    try database.set(.defensive, false)
    try database.setPragma("writable_schema", true)
    let places = try [first, second].map { name in
      try #require(
        try database.rows("SELECT rootpage FROM sqlite_schema WHERE name = ?", .text(name)).first?[
          0])
    }
    for (name, root) in zip([second, first], places) {
      try database.execute(
        "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", root, .text(name))
    }
  }

  @Test(arguments: [(true, true), (false, true), (false, false)])
  func exchangedIndexesAreNotRead(isSetBased: Bool, isFusing: Bool) throws {
    let file = try bench.sample(version: 0, of: Self.target, objects: 60)
    let indexes = try bench.sql(
      file, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    ).compactMap { $0[0].ifText }
    #expect(indexes.count == 5)
    func upgraded(_ file: String, to name: String) throws -> [String] {
      var options = Upgrade.Options()
      options.isSetBased = isSetBased
      options.isFusing = isFusing
      options.output = bench.path(name)
      try Upgrade(path: file, target: Self.target, options: options).run()
      return try lines(of: bench.path(name))
    }
    let whole = try (old: lines(of: file), new: upgraded(file, to: "whole.db"))
    for (position, first) in indexes.enumerated() {
      for second in indexes[(position + 1)...] {
        let name = "\(first), \(second)"
        let copy = try bench.copyWithNeighbours(of: file, to: "\(name).db")
        try exchange(first, second, in: copy)
        #expect(try lines(of: copy) == whole.old, "\(name)")
        #expect(try upgraded(copy, to: "\(name) new.db") == whole.new, "\(name)")
      }
    }
  }
}
