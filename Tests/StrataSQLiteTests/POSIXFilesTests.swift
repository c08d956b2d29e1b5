import Foundation
import StrataSQLite
import Testing

@Suite struct POSIXFilesTests {
  let folder: TemporaryFolder
  let files = POSIXFiles()

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileIsWrittenReadRenamedAndRemoved() throws {
    try files.write([1, 2, 3, 4], to: folder.file("a"), permissions: 0o640)
    #expect(try files.read(folder.file("a"), from: 1, count: 2) == [2, 3])
    #expect(try files.read(folder.file("a"), from: 2, count: 100) == [3, 4])
    let status = try files.status(of: folder.file("a"))
    #expect(status?.kind == .file)
    #expect(status?.size == 4)
    #expect(status?.permissions == 0o640)

    try files.rename(folder.file("a"), to: folder.file("b"))
    #expect(try files.status(of: folder.file("b"))?.inode == status?.inode)
    #expect(try files.contents(ofFolder: folder.path) == ["b"])
    try files.synchronize(folder.file("b"))
    try files.synchronizeFolder(of: folder.file("b"))

    try files.remove(folder.file("b"))
    #expect(try !files.exists(folder.file("b")))
    try files.removeIfPresent(folder.file("b"))
  }

  @Test(arguments: [false, true]) func aNewNameReplacesNothing(isLink: Bool) throws {
    let (file, target) = (folder.file("a"), folder.file("b"))
    try files.write([1], to: file, permissions: 0o600)
    if isLink {
      try FileManager.default.createSymbolicLink(
        atPath: target, withDestinationPath: folder.file("nowhere"))
    } else {
      try files.write([2], to: target, permissions: 0o600)
    }

    let error = #expect(throws: FileError.self) { try files.rename(file, toNew: target) }

    #expect(error?.isExisting == true)
    #expect(error?.operation == "rename")
    #expect(try files.read(file, from: 0, count: 9) == [1])
    if !isLink { #expect(try files.read(target, from: 0, count: 9) == [2]) }

    try files.remove(target)
    try files.rename(file, toNew: target)
    #expect(try files.contents(ofFolder: folder.path) == ["b"])
  }

  @Test func whatIsMissingIsNamed() throws {
    let error = #expect(throws: FileError.self) { try files.remove(folder.file("missing")) }

    #expect(error?.isNotFound == true)
    #expect(error?.operation == "unlink")
    #expect(error?.description.contains("missing: No such file") == true)
    #expect(try files.status(of: folder.file("missing")) == nil)
  }

  @Test func freeSpaceIsThere() throws {
    #expect(try files.freeSpace(at: folder.path) > 0)
  }

  @Test(arguments: [("/a/b", "/a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("a/", "a", "")])
  func paths(path: String, folder: String, name: String) {
    #expect(FilePaths.folder(of: path) == folder)
    #expect(FilePaths.name(of: path) == name)
  }
}
