import Foundation
import StrataCodegen
import Testing

/// A file that a user has named may be a link, or no file at all.
@Suite final class OutputFileTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("logs"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  private func target(_ name: String) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: path(name))
  }

  @Test func aFileIsReplaced() throws {
    for text in ["a long text", "b"] { try OutputFile(path("new/report")).write(text) }
    #expect(try text("new/report") == "b")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path("new")) == ["report"])
  }

  /// Also to a file that is not there yet, and over another link.
  @Test func aLinkStaysOne() throws {
    try link("first", to: "logs/second")
    try link("logs/second", to: path("logs/report"))

    for text in ["a", "b"] { try OutputFile(path("first")).write(text) }

    #expect(try text("logs/report") == "b")
    #expect(try target("first") == "logs/second")
    #expect(try target("logs/second") == path("logs/report"))
  }

  @Test func aLinkToAFolderThatIsNotThereIsRefused() throws {
    try link("report", to: "mnt/report")
    try link("circle", to: "circle")

    for name in ["report", "circle"] {
      #expect(throws: OutputError.self) { try OutputFile(path(name)).write("a") }
      #expect(try target(name) == (name == "circle" ? name : "mnt/report"))
    }
    #expect(!FileManager.default.fileExists(atPath: path("mnt")))
  }

  @Test func aPipeIsWrittenInto() throws {
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    let reader = open(path("pipe"), O_RDWR)
    defer { close(reader) }

    #expect(OutputFile(path("pipe")).isStream)
    try OutputFile(path("pipe")).write("told")

    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "told")
  }

  @Test(arguments: ["/dev/null", "link to a device"]) func aDeviceStaysOne(name: String) throws {
    try link("link to a device", to: "/dev/null")
    let device = name.hasPrefix("/") ? name : path(name)

    #expect(OutputFile(device).isStream)
    // As root a rename would take its place.
    try OutputFile(device).write("told")

    var status = stat()
    #expect(stat(device, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test(.enabled(if: access("/dev/shm", W_OK) == 0)) func aLinkAmongFilesInMemoryIsNoStream() throws
  {
    let link = "/dev/shm/\(UUID().uuidString)"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: path("report"))
    defer { try? FileManager.default.removeItem(atPath: link) }

    for text in ["a", "b"] { try OutputFile(link).write(text) }

    #expect(try text("report") == "b")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path("report"))
  }

  @Test func anythingElseIsNoStream() throws {
    try link("gone", to: "mnt/report")
    try OutputFile(path("file")).write("a")
    for name in ["gone", "file", "logs", "none"] {
      #expect(!OutputFile(path(name)).isStream, "\(name)")
    }
  }
}
