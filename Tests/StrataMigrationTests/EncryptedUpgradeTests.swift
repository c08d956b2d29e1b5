import Foundation
import StrataCipher
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles
@testable import StrataTesting

/// Upgrades of encrypted files: all of the engine, under each cipher.
@Suite struct EncryptedUpgradeTests {
  /// Calls that fail, of each way, fault and cipher, in the short form.
  private static let samples = 3

  let bench: Workbench

  init() throws {
    PageCiphers.install()
    bench = try Workbench()
  }

  private func vfs(_ kind: CipherKind, over base: String? = nil) throws -> String {
    let key = FileKey.bytes([UInt8](repeating: 0x42, count: 32))
    return try #require(FileCipher(key: key, kind: kind).vfs(over: base))
  }

  private func sample(
    _ name: String, _ way: FaultWay, _ kind: CipherKind, objects: Int = 40
  ) throws -> String {
    let path = bench.path(name)
    let version = try #require(way.source.history.version(0))
    try SampleDatabase(version: version, of: way.source.history, vfs: try vfs(kind)).create(
      at: path, objects: objects, seed: 7)
    return path
  }

  private func inspect(_ path: String, _ way: FaultWay, _ kind: CipherKind) throws
    -> FileInspection
  {
    try FileInspector(vfs: try vfs(kind)).inspect(path, target: way.target, digest: true)
  }

  /// The same objects come out as of a plain file, by every way; files beside it hold none of them in the clear.
  @Test(arguments: CipherKind.allCases, FaultWay.allCases)
  func theResultIsThatOfAPlainFile(kind: CipherKind, way: FaultWay) throws {
    let plain = try bench.sample("plain.db", version: 0, of: way.source, objects: 40)
    try upgrade(plain, way.target)
    let expected = try FileInspector().inspect(plain, target: way.target, digest: true)

    let file = try sample("a.db", way, kind)
    let (output, backup) = (bench.path("new.db"), bench.path("kept.db"))
    var options = way.options(output: output, backup: backup)
    var looks = 0
    options.progress = { [bench] _ in
      looks += 1
      Self.expectNothingInTheClear(bench)
      return .proceed
    }
    for scale in Scale.allCases {
      for name in ["a.db", "new.db", "kept.db"] {
        try POSIXFiles().removeIfPresent(bench.path(name))
      }
      _ = try sample("a.db", way, kind)
      try EngineSwitches.$current.withValue(scale.switches) {
        try Upgrade(path: file, target: way.target, options: options, vfs: try vfs(kind)).run()
      }
      let found = try inspect(way.writesOutput ? output : file, way, kind)
      #expect(found.dataDigest == expected.dataDigest)
      #expect(found.problem == nil && found.isEncrypted)
      if way.keepsBackup { #expect(try inspect(backup, way, kind).version == 0) }
      Self.expectNothingInTheClear(bench)
    }
    #expect(looks > 0)
    #expect(try bench.names().filter { $0.contains(AsideFile.suffix) } == [])
  }

  private static func expectNothingInTheClear(_ bench: Workbench) {
    for name in (try? bench.names()) ?? [] where !name.hasPrefix("plain") {
      let content = Data((try? bench.bytes(bench.path(name))) ?? [])
      for text in ["SQLite format", "CREATE TABLE", "_strata", "Person"] {
        #expect(content.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
  }

  @Test("A file that lacks whole pages was cut off", arguments: CipherKind.allCases)
  func cutOff(kind: CipherKind) throws {
    let file = try sample("a.db", .fused, kind)
    let whole = try bench.bytes(file)
    let rest = 3 * Int(Database.strataPageSize)
    try POSIXFiles().write(Array(whole.prefix(rest)), to: file, permissions: 0o600)

    let found = try FileInspector(vfs: try vfs(kind)).inspect(file, target: nil)

    #expect(found.status == .damaged && found.isEncrypted)
    #expect(found.problem?.kind == .fileDamaged)
    let sentence = "has \(rest) bytes where its header says \(whole.count). It was cut off"
    let problem = found.problem?.description ?? ""
    #expect(problem.contains(sentence), "\(problem)")
  }

  /// The file got a key after the upgrade, and the old one that is kept beside it has none.
  @Test func aKeptFileWithAnotherKeyIsNamed() throws {
    let target = PeopleHistory.target
    let path = try bench.sample("people.db", version: 0, of: target, objects: 5)
    let kept = path + ".kept-0-20261122"
    try POSIXFiles().copy(path, to: kept, permissions: 0o600)
    try upgrade(path, target)
    let cipher = FileCipher(
      key: FileKey.bytes([UInt8](repeating: 0x42, count: 32)), kind: .aesGCM)
    _ = try Rekeying(path: path, from: nil, to: cipher).run()

    #expect(KeptFiles.paths(beside: path) == [kept])
    let error = #expect(throws: MigrationError.self) {
      try Downgrade.keptFile(of: path, target, vfs: try vfs(.aesGCM))
    }
    #expect(
      error?.description.hasPrefix("\(kept), which is kept beside \(path), has another key")
        == true,
      "\(error?.description ?? "")")
    _ = try Rekeying(path: kept, from: nil, to: cipher).run()
    #expect(try Downgrade.keptFile(of: path, target, vfs: try vfs(.aesGCM)) == kept)
  }

  /// The n-th call of the file system fails, or the process with it: the file is the old one or the new one.
  @Test(
    arguments: CipherKind.allCases,
    [Fault.killed, .inputOutput, .diskFull, .shortWrite])
  func whateverFailsTheFileIsTheOldOneOrTheNewOne(kind: CipherKind, fault: Fault) throws {
    for way in FaultWay.allCases {
      let original = try sample("original.db", way, kind)
      let old = try inspect(original, way, kind).dataDigest
      let fault = (vfs: FaultVFS(), kind: fault)
      let cipher = try vfs(kind, over: fault.vfs.name)
      func run(_ call: Int) throws -> Aftermath.Files {
        let names = Aftermath.Files("\(call)", in: bench)
        try POSIXFiles().copy(original, to: names.file, permissions: 0o600)
        fault.vfs.arm(at: call, fault.kind)
        let options = way.options(output: names.output, backup: names.backup)
        // What the upgrade says of it, the plain file's tests look at.
        _ = try? Upgrade(
          path: names.file, target: way.target, options: options,
          files: FaultyFiles { fault.kind.isDeath && fault.vfs.hasStruck }, vfs: cipher
        ).run()
        return names
      }
      let whole = try run(0)
      let calls = fault.vfs.count
      let new = try inspect(way.writesOutput ? whole.output : whole.file, way, kind).dataDigest
      #expect(new != nil && calls > 3)
      let stride = FaultTests.isLong ? 1 : max(1, calls / Self.samples)
      for call in Swift.stride(from: 1, through: calls, by: stride) {
        let what = "\(fault.kind) of \(way), \(kind), call \(call)"
        var names = try run(call)
        fault.vfs.arm(at: 0, fault.kind)
        // What stands on the disk, seen without the locks that this process may still hold.
        for path in names.all where try POSIXFiles().exists(path) {
          _ = try bench.copyWithNeighbours(
            of: path, to: "after-" + FilePaths.name(of: path))
        }
        names = Aftermath.Files("after-\(call)", in: bench)
        let found = try inspect(names.file, way, kind)
        #expect(
          [old, new].contains(found.dataDigest), "\(what): \(found.problem?.description ?? "")")
        var options = way.options(output: names.output, backup: names.backup)
        options.takesFinishedOutput = true
        try Upgrade(
          path: names.file, target: way.target, options: options, vfs: try vfs(kind)
        ).run()
        let result = try inspect(way.writesOutput ? names.output : names.file, way, kind)
        #expect(result.dataDigest == new, "\(what), then again")
        try bench.removeAll { $0.hasPrefix("\(call)-") || $0.hasPrefix("after-\(call)-") }
      }
      try bench.removeAll { _ in true }
    }
  }

  @Test(arguments: CipherKind.allCases)
  func theKeyIsChangedAsAWhole(kind: CipherKind) throws {
    let way = FaultWay.fused
    let plain = try bench.sample("a.db", version: 0, of: way.source, objects: 40)
    let digest = try FileInspector().inspect(plain, target: nil, digest: true).dataDigest
    let one = FileCipher(key: .bytes([UInt8](repeating: 0x42, count: 32)), kind: kind)
    let two = FileCipher(key: .passphrase(Array("open sesame".utf8)))
    let form = try #require(Rekeying.Form(rawValue: kind.rawValue))
    func read(_ cipher: FileCipher?) throws -> Digest? {
      try FileInspector(vfs: cipher?.vfs()).inspect(plain, target: nil, digest: true).dataDigest
    }
    #expect(
      try Rekeying(path: plain, from: nil, to: one).run()
        == Rekeying.Report(from: .plain, to: form))
    #expect(try read(one) == digest)
    #expect(try read(nil) == nil)
    #expect(
      try Rekeying(path: plain, from: one, to: two).run()
        == Rekeying.Report(from: form, to: form))
    #expect(try read(two) == digest)
    #expect(try read(one) == nil)
    for other in CipherKind.allCases {
      var changed = two
      changed.kind = other
      #expect(try Rekeying(path: plain, from: two, to: changed).run().to.rawValue == other.rawValue)
      #expect(try read(two) == digest)
    }
    #expect(try Rekeying(path: plain, from: two, to: nil).run().to == .plain)
    #expect(try read(nil) == digest)
    #expect(try bench.names() == ["a.db"])
  }

  @Test func aWrongKeyOrAnOpenFileChangesNothing() throws {
    let way = FaultWay.fused
    let file = try sample("a.db", way, .aesGCM)
    let before = try bench.bytes(file)
    let wrong = FileCipher(key: .bytes([UInt8](repeating: 0x43, count: 32)))
    func kind(_ cipher: FileCipher?) -> MigrationError.Kind? {
      do {
        _ = try Rekeying(path: file, from: cipher, to: wrong).run()
        return nil
      } catch {
        return (error as? MigrationError)?.kind
      }
    }
    #expect(kind(wrong) == .wrongKey)
    #expect(kind(nil) == .fileEncrypted)
    #expect(try bench.bytes(file) == before)
  }
}
