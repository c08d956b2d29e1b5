import StrataFrontend
import StrataSource
import Testing

@Suite struct TargetFolderTests {
  private static let manifest = SourceFile(
    path: "Package.swift",
    text: #".target(name: "Club", path: "Club", plugins: [.plugin(name: "StrataPlugin")])"#)

  /// The paths of the Swift files that a repair would write for a folder as the settings name it.
  private func repairs(_ path: String) -> [String] {
    let file = SourceFile(path: SourceFolder.path(of: "Dogs.yaml", in: path), text: "models: {}\n")
    let folder = TargetFolder(
      path: path, files: [file], hasSwift: false, nameOfSwiftFile: TargetFolder.nameOfModels)
    var diagnostics = Diagnostics()
    folder.check(manifest: Self.manifest, reporting: &diagnostics)
    return diagnostics.sorted.flatMap { $0.fixIt?.edits.map(\.path) ?? [] }
  }

  @Test(arguments: [
    ("Club", "Club/Models.swift"), ("Club/", "Club/Models.swift"),
    ("./Club", "./Club/Models.swift"), (".//Club//", ".//Club//Models.swift"),
    ("Sources/Other/", "Sources/Other/Models.swift"),
    ("./Sources/Other", "./Sources/Other/Models.swift"),
  ])
  func aTargetIsKnownHoweverItsFolderIsSpelled(_ path: String, _ added: String) {
    #expect(repairs(path) == [added])
  }

  @Test(arguments: [".", "./", "../Club", "/Club", "Clubs"])
  func otherFoldersAreNoTargets(_ path: String) {
    #expect(repairs(path) == [])
  }
}
