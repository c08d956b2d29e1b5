import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

// Models of two branches that one version is made of.
extension RepositoryTests {
  @Test(
    "A model that one side adds has what the other side gives its parent",
    arguments: [
      ("C: { extends: Base, properties: { c: int } }", "{ name: string, note: string? }"),
      ("C: { extends: Base, properties: { c: int } }", "{ name: string? }"),
      ("C: { extends: A, properties: { c: int } }", "{ name: string, note: string? }"),
      (
        "C: { extends: Base, properties: { c: int } }\n  D: { extends: C }",
        "{ name: string, note: string? }"
      ),
    ], [true, false])
  func inheritance(fork: (child: String, parent: String), isChildOurs: Bool) throws {
    let repository = try Repository()
    func declare(_ version: Int, parent: String, child: String) throws {
      try repository.write(
        "schemas/People.yaml",
        """
        schema: People
        version: \(version)
        models:
          Base: { abstract: true, properties: \(parent) }
          A: { extends: Base }
          \(child)

        """)
    }
    func freeze(_ version: Int, parent: String, child: String) throws {
      try declare(version, parent: parent, child: child)
      let project = try repository.project
      try project.write(
        try project.freeze(lenient: nil, checksSeal: true).plan(
          freezing: try project.compile().schema, date: "2026-11-21"))
      try repository.commit()
    }
    let before = "{ name: string }"
    try freeze(1, parent: before, child: "")
    try repository.git("checkout", "-q", "-b", "child")
    try freeze(2, parent: before, child: fork.child)
    try repository.git("checkout", "-q", "-b", "parent", "main")
    try freeze(2, parent: fork.parent, child: "")
    try repository.git("checkout", "-q", isChildOurs ? "child" : "parent")

    let project = try repository.project
    try project.write(
      try project.plan(rebasingOnto: isChildOurs ? "git:parent" : "git:child"))
    try declare(3, parent: fork.parent, child: fork.child)
    #expect(try repository.findings() == [])
    #expect(
      try repository.project.freeze(lenient: nil, checksSeal: true).plan(
        freezing: try repository.project.compile().schema, date: "2026-11-22"
      ).changesNothing)
  }
}
