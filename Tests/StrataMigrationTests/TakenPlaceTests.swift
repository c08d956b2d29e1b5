import StrataSQLite
import Testing

@testable import Strata

/// A file that another program puts where a new one is about to come stays as it is, at whatever moment it comes there.
@Suite struct TakenPlaceTests {
  private let bench: Workbench
  private let target = PeopleHistory.target
  private static let theirs = [UInt8]("of another program".utf8)

  init() throws { bench = try Workbench() }

  /// Puts the other program's file to the place before each of the calls, as far as nothing is there then.
  ///
  /// - Parameter make: makes the new file at the place, in a fresh folder each time.
  private func withEachCall(
    _ make: (_ place: String, _ files: FaultyFiles, _ name: String) throws -> Void
  ) throws {
    let quiet = FaultyFiles()
    try make(bench.path("quiet.db"), quiet, "quiet")
    var taken = 0
    for call in 1...quiet.count {
      let place = bench.path("\(call).db")
      let files = FaultyFiles(at: call, isHarmless: true)
      var isTheirs = false
      files.whenStruck = {
        let others = POSIXFiles()
        guard (try? others.exists(place)) == false else { return }
        isTheirs = (try? others.write(Self.theirs, to: place, permissions: 0o600)) != nil
      }
      var sentence = ""
      do { try make(place, files, "call \(call)") } catch { sentence = "\(error)" }

      #expect(files.hasStruck, "call \(call)")
      #expect(isTheirs == (try bench.bytes(place) == Self.theirs), "call \(call)")
      #expect(isTheirs == sentence.contains("\(call).db exists already"), "\(call): \(sentence)")
      taken += isTheirs ? 1 : 0
    }
    // Up to the call that gives the file its name.
    #expect(taken > quiet.count / 2)
  }

  @Test func ofAFileThatIsMade() throws {
    try withEachCall { place, files, _ in
      try NewFile(path: place, files: files).make {
        try files.write([1], to: $0, permissions: 0o600)
      }
    }
  }

  @Test func ofOutput() throws {
    let file = try bench.sample("old.db", version: 0, of: target, objects: 5)
    try withEachCall { place, files, _ in
      var options = Upgrade.Options()
      options.output = place
      try Upgrade(path: file, target: target, options: options, files: files).run()
    }
  }

  @Test func ofACopyOfTheOldFile() throws {
    try withEachCall { place, files, name in
      let file = try bench.sample("\(name) old.db", version: 0, of: target, objects: 5)
      let before = try bench.bytes(file)
      var options = Upgrade.Options()
      options.backup = place
      do {
        try Upgrade(path: file, target: target, options: options, files: files).run()
      } catch {
        // An upgrade without its copy is none.
        #expect(try bench.bytes(file) == before, "\(name)")
        throw error
      }
    }
  }

  @Test func ofADowngrade() throws {
    let downgrades = try DowngradeBench()
    let (old, new) = try downgrades.files(target)
    try withEachCall { place, files, _ in
      var options = Downgrade.Options()
      options.output = place
      options.acceptsLoss = true
      try Downgrade(path: new, from: old, target: target, options: options, files: files).run()
    }
  }
}
