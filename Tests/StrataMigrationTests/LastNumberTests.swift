import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// At the end of what a file may count to, nothing is written that makes the file one that no program reads.
@Suite struct LastNumberTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    file = try Graph.file("a.db", in: bench)
  }

  private func count(_ key: String, _ file: String, leaving left: Int64) throws {
    let count = StrataMetadata.maximumCount - left
    try bench.sql(file, "UPDATE _strata SET value = \(count) WHERE key = '\(key)'")
  }

  private func importing(_ lines: Int) throws {
    var rest = (0..<lines).map { Array("{\"n\":\($0)}".utf8) }[...]
    _ = try ObjectImporter.run(into: file, target: nil, model: "Node") { rest.popFirst() }
  }

  private func expectSound(_ file: String, nodes: Int) throws {
    let inspection = try FileInspector().inspect(file, target: nil)
    #expect(inspection.problem == nil)
    #expect(inspection.counts["Node"] == nodes)
  }

  @Test func anImportEndsWithTheLastNumber() throws {
    try count("nextRow", file, leaving: 2)
    try importing(2)
    try expectSound(file, nodes: 2)
    let before = try bench.bytes(file)
    let error = #expect(throws: MigrationError.self) { try importing(1) }
    #expect(error?.description.contains("a.db: the numbers of objects are used up") == true)
    #expect(error?.kind == .inputOutput)
    #expect(try bench.bytes(file) == before)
    try expectSound(file, nodes: 2)
  }

  @Test(arguments: ["nextRow", "transaction"])
  func aStoreTakesTheTransactionBack(key: String) throws {
    try count(key, file, leaving: 1)
    let store = try Store(path: file)
    defer { store.close() }
    func add() throws {
      try store.write { _ = try store.create(named: "Node", value: ["n": 1]) }
    }
    try add()
    let error = #expect(throws: StoreError.self) { try add() }
    #expect(error?.code == "STR5001")
    #expect(error?.description.contains("are used up") == true)
    // What makes no object is stored still.
    if key == "nextRow" {
      try store.write { for node in try store.objects(named: "Node") { node["n"] = 7 } }
    }
    #expect(try FileInspector().inspect(file, target: nil).counts["Node"] == 1)
  }

  @Test func anUpgradeMakesNoObjectBeyondTheLastNumber() throws {
    let models = [Model(name: "Node", properties: [.required("n", .int)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Node"] }],
      blocks: [
        Step(to: 1) { step in
          let workspace = try step.requireWorkspace()
          for _ in 0..<2 { _ = try workspace.create("Node", version: 1) { $0["n"] = .int(1) } }
        }
      ])
    let path = try bench.sample("b.db", version: 0, of: paths.target, objects: 0)
    try count("nextRow", path, leaving: 1)
    let before = try bench.contents()
    let error = #expect(throws: MigrationError.self) { try upgrade(path, paths.target) }
    #expect(error?.description.contains("b.db: the numbers of objects are used up") == true)
    #expect(try bench.contents() == before)

    try count("nextRow", path, leaving: 2)
    try upgrade(path, paths.target)
    try expectSound(path, nodes: 2)
  }
}
