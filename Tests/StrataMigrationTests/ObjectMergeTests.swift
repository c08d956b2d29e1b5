import Foundation
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// Objects of models without a key are found again in another file by what they hold and lead to.
@Suite struct ObjectMergeTests {
  let bench: Workbench
  let file: String
  let app: String

  init() throws {
    bench = try Workbench()
    let models = [
      Model(
        name: "Folder", properties: [.required("name", .string), .link("parent", to: "Folder")]),
      Model(name: "Note", properties: [.required("text", .string), .link("folder", to: "Folder")]),
      Model(
        name: "Badge",
        properties: [
          .required("text", .string),
          Property(
            name: "folder", type: .value(ValueType(.object("Folder"), isOptional: true)),
            isUnique: true),
        ]),
    ]
    let target = UpgradeTarget(
      history: .chained(
        "Test", [("2026-01-01", Schema(name: "Test", version: 0, models: models), nil)]), steps: [])
    (file, app) = (bench.path("file.db"), bench.path("app.db"))
    for name in ["file.db", "app.db"] {
      _ = try bench.sample(name, version: 0, of: target, objects: 0)
      try bench.sql(bench.path(name), "UPDATE _strata SET value = 10000 WHERE key = 'nextRow'")
    }
  }

  private func counts(_ report: MergeReport, _ model: String) -> [Int] {
    let counts = report.models[model] ?? MergeReport.Counts()
    return [counts.added, counts.updated, counts.unchanged, counts.others]
  }

  private func notes() throws -> [String] {
    try bench.sql(
      app,
      "SELECT n.text || ' in ' || f.name FROM Note n JOIN Folder f ON f._row = n.folder ORDER BY 1"
    ).compactMap { $0[0].ifText }
  }

  /// The two notes differ by the folder alone, which has no key either.
  @Test func anObjectThatDiffersByALinkIsAnotherOne() throws {
    for path in [file, app] {
      try bench.sql(path, "INSERT INTO Folder(_row, name) VALUES (1, 'A'), (2, 'B')")
    }
    try bench.sql(file, "INSERT INTO Note(_row, text, folder) VALUES (3, 'todo', 2)")
    try bench.sql(app, "INSERT INTO Note(_row, text, folder) VALUES (3, 'todo', 1)")

    let report = try ObjectMerge.run(from: file, into: app)

    #expect(counts(report, "Folder") == [0, 0, 2, 0])
    #expect(counts(report, "Note") == [1, 0, 0, 1])
    #expect(try notes() == ["todo in A", "todo in B"])
    #expect(try ObjectMerge.run(from: file, into: app).total.added == 0)
    #expect(try notes() == ["todo in A", "todo in B"])
  }

  /// What is equal near by differs some links away; the identities of the two files have nothing to do with each other.
  @Test func whatLiesBehindLinksTellsObjectsApart() throws {
    try bench.sql(
      file,
      """
      INSERT INTO Folder(_row, name, parent) VALUES (1, 'home', NULL), (2, 'work', NULL), (3, 'in', 1), \
      (4, 'in', 2), (5, 'new', 3), (6, 'new', 4)
      """)
    try bench.sql(
      app,
      """
      INSERT INTO Folder(_row, name, parent) VALUES (11, 'work', NULL), (12, 'home', NULL), (13, 'in', 11), \
      (14, 'in', 12), (15, 'new', 13), (16, 'new', 14)
      """)
    try bench.sql(file, "INSERT INTO Note(_row, text, folder) VALUES (7, 'at home', 5)")

    let report = try ObjectMerge.run(from: file, into: app)

    #expect(counts(report, "Folder") == [0, 0, 6, 0])
    #expect(try bench.sql(app, "SELECT folder FROM Note") == [[.integer(16)]])
  }

  /// Objects that lead to each other in a ring have no first one.
  @Test func ringsAreTheSame() throws {
    for path in [file, app] {
      try bench.sql(
        path,
        "INSERT INTO Folder(_row, name, parent) VALUES (1, 'a', 2), (2, 'b', 3), (3, 'c', 1), (4, 'a', 4)"
      )
    }
    let report = try ObjectMerge.run(from: file, into: app)
    #expect(counts(report, "Folder") == [0, 0, 4, 0])
    #expect(
      try bench.sql(app, "SELECT _row, parent FROM Folder ORDER BY _row")
        == bench.sql(file, "SELECT _row, parent FROM Folder ORDER BY _row"))
  }

  /// Chains, rings and stars whose objects have other identities in the other file, and nothing else that tells them apart.
  @Test(arguments: [
    ["2", "3", "4", "5", "6", "1"], ["2", "3", "4", "5", "6", "NULL"],
    ["1", "1", "1", "1", "1", "1"], ["2", "1", "4", "3", "6", "5"],
  ])
  func otherIdentitiesAreTheSameGraph(parents: [String]) throws {
    let others = [4: 1, 1: 2, 6: 3, 2: 4, 5: 5, 3: 6]
    for (number, parent) in parents.enumerated() {
      try bench.sql(
        app, "INSERT INTO Folder(_row, name, parent) VALUES (\(number + 1), 'f', \(parent))")
      let other = Int(parent).flatMap { others[$0] }.map(String.init) ?? "NULL"
      try bench.sql(
        file,
        "INSERT INTO Folder(_row, name, parent) VALUES (\(others[number + 1] ?? 0), 'f', \(other))")
    }
    let report = try ObjectMerge.run(from: file, into: app)
    #expect(counts(report, "Folder")[0] == 0)
    #expect(counts(report, "Folder")[3] == 0)
    #expect(try bench.sql(app, "SELECT count(*) FROM Folder") == [[.integer(6)]])
    #expect(try ObjectMerge.run(from: file, into: app).total == MergeReport.Counts(unchanged: 6))
  }

  /// As long as nothing else could be meant.
  @Test func whatLinksToAChangedObjectIsTheSame() throws {
    for (path, name) in [(file, "Private"), (app, "Home")] {
      try bench.sql(path, "INSERT INTO Folder(_row, name) VALUES (1, '\(name)')")
      try bench.sql(
        path,
        "INSERT INTO Note(_row, text, folder) VALUES (2, 'one', 1), (3, 'two', 1), (4, 'two', 1)")
    }
    let report = try ObjectMerge.run(from: file, into: app)

    #expect(counts(report, "Folder") == [1, 0, 0, 1])
    #expect(counts(report, "Note") == [2, 1, 0, 2])
    #expect(
      try notes() == [
        "one in Private", "two in Home", "two in Home", "two in Private", "two in Private",
      ])
    #expect(try ObjectMerge.run(from: file, into: app).total.added == 0)
  }

  private func badges() throws -> [String] {
    try bench.sql(
      app,
      "SELECT b.text || ' on ' || f.name FROM Badge b JOIN Folder f ON f._row = b.folder ORDER BY 1"
    ).compactMap { $0[0].ifText }
  }

  /// That either is the only one of its side does not make them the same: each has a folder that the other side does not have.
  @Test func whatIsUniqueByALinkToAnotherObjectIsAnotherOne() throws {
    for (path, name) in [(file, "Private"), (app, "Home")] {
      try bench.sql(path, "INSERT INTO Folder(_row, name) VALUES (1, '\(name)')")
      try bench.sql(path, "INSERT INTO Badge(_row, text, folder) VALUES (2, 'of \(name)', 1)")
    }
    let report = try ObjectMerge.run(from: file, into: app)

    #expect(counts(report, "Folder") == [1, 0, 0, 1])
    #expect(counts(report, "Badge") == [1, 0, 0, 1])
    #expect(try badges() == ["of Home on Home", "of Private on Private"])
    #expect(try ObjectMerge.run(from: file, into: app).total.added == 0)
  }

  /// The folder leads to a changed one, and is the same because it is the only one of its name; so is what is unique by it.
  @Test func whatIsUniqueByALinkFollowsWhatItLeadsTo() throws {
    for (path, name) in [(file, "New"), (app, "Old")] {
      try bench.sql(
        path, "INSERT INTO Folder(_row, name, parent) VALUES (1, '\(name)', NULL), (2, 'in', 1)")
      try bench.sql(path, "INSERT INTO Badge(_row, text, folder) VALUES (3, '\(name)', 2)")
    }
    let report = try ObjectMerge.run(from: file, into: app)

    #expect(counts(report, "Folder") == [1, 1, 0, 1])
    #expect(counts(report, "Badge") == [0, 1, 0, 0])
    #expect(try badges() == ["New on in"])
    #expect(try ObjectMerge.run(from: file, into: app).total.added == 0)
  }
}
