import StrataFrontend
import StrataSource
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct SourceFolderTests {
  @Test func yamlFilesAreReadInOrder() throws {
    try withTemporaryFolder { folder in
      try write("b", to: "\(folder)/b.yaml")
      try write("a", to: "\(folder)/a.yml")
      try write("no", to: "\(folder)/notes.txt")
      try write("no", to: "\(folder)/.hidden.yaml")
      try write("no", to: "\(folder)/yaml")
      #expect(mkdir("\(folder)/versions", 0o755) == 0)
      let files = try SourceFolder.read(folder)
      #expect(files.map(\.path) == ["\(folder)/a.yml", "\(folder)/b.yaml"])
      #expect(files.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "b"])
      #expect(symlink(folder, "\(folder)-link") == 0)
      defer { unlink("\(folder)-link") }
      #expect(try SourceFolder.read("\(folder)-link").map(\.name) == ["a.yml", "b.yaml"])
    }
  }

  /// Also what is not there has one place: a document may be opened before its folder is made.
  @Test func aFolderHasOnePlaceByWhicheverPath() throws {
    try withTemporaryFolder { folder in
      let place = SourceFolder.place(of: folder)
      #expect(mkdir("\(folder)/there", 0o755) == 0)
      #expect(symlink("there", "\(folder)/link") == 0)
      #expect(symlink("nowhere", "\(folder)/broken") == 0)
      for (path, expected) in [
        ("", ""), ("/link", "/there"), ("/link/../link/", "/there"),
        ("/link/new/newer", "/there/new/newer"), ("/broken/a", "/broken/a"),
      ] { #expect(SourceFolder.place(of: folder + path) == place + expected, "\(path)") }
      #expect(SourceFolder.place(of: "/") == "/")
      #expect(SourceFolder.place(of: "/none/at/all") == "/none/at/all")
    }
  }

  @Test func whatCannotBeReadSaysWhy() throws {
    try withTemporaryFolder { folder in
      #expect(throws: SourceError(path: "\(folder)/none", reason: .missing)) {
        try SourceFolder.read("\(folder)/none")
      }
      try write("a", to: "\(folder)/file")
      #expect(throws: SourceError(path: "\(folder)/file", reason: .notAFolder)) {
        try SourceFolder.read("\(folder)/file")
      }
      #expect(throws: SourceError(path: folder, reason: .notAFile)) {
        try SourceFolder.read(file: folder)
      }
      #expect(mkfifo("\(folder)/pipe.yaml", 0o644) == 0)
      #expect(throws: SourceError(path: "\(folder)/pipe.yaml", reason: .notAFile)) {
        try SourceFolder.read(folder)
      }
    }
  }

  @Test func aLargeFileIsReadToTheBoundAndRefused() throws {
    try withTemporaryFolder { folder in
      try write(String(repeating: "# five mebibytes\n", count: 5 << 16), to: "\(folder)/a.yaml")
      let files = try SourceFolder.read(folder)
      #expect(files.map(\.bytes.count) == [SourceFile.maximumSize + 1])
      var diagnostics = Diagnostics()
      #expect(SchemaCompiler.compile(files, reporting: &diagnostics) == nil)
      #expect(diagnostics.sorted.map(line) == ["1:1-1:1 STR1002 the file is larger than 4 MiB"])
    }
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}

/// Runs with an empty folder that is gone afterwards, with the files in it.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array("\(parent)/strata-frontend-XXXXXX".utf8CString)
  let path = try #require(mkdtemp(&template).map { String(cString: $0) })
  defer {
    for name in (try? SourceFolder.list(path)) ?? [] + [".hidden.yaml"] {
      _ = unlink("\(path)/\(name)")
      _ = rmdir("\(path)/\(name)")
    }
    unlink("\(path)/.hidden.yaml")
    rmdir(path)
  }
  try body(path)
}
