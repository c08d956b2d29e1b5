import Foundation
import StrataCipher
import StrataTestModels
import Testing

@testable import Strata

/// Files that belong to another user: read without leaving anything beside them that their owner could stumble over. Root makes them, and
/// gives up being root.
@Suite(.enabled(if: getuid() == 0)) struct OtherUsersFileTests {
  /// What the owner's process has left beside the file.
  enum Left: CaseIterable {
    case nothing, log, index, logAndIndex

    var suffixes: [String] {
      switch self {
      case .nothing: []
      case .log: ["-wal"]
      case .index: ["-shm"]
      case .logAndIndex: ["-shm", "-wal"]
      }
    }
  }

  /// A folder with a store of root's, in which the newest object stands in the log.
  final class Place {
    let folder: TemporaryFolder
    let key: Data?
    var file: String { folder.file("a.db") }

    init(_ left: Left, folderPermissions: Int, key: Data? = nil) throws {
      PageCiphers.install()
      folder = try TemporaryFolder()
      self.key = key
      let original = try TemporaryFolder()
      let store = try Store(configuration: configuration(original.file("a.db")))
      try store.write { try store.add(Dog(name: "Rex")) }
      let hasLog = left.suffixes.contains("-wal")
      if !hasLog { store.close() }
      for suffix in [""] + (hasLog ? left.suffixes : []) {
        try FileManager.default.copyItem(
          atPath: original.file("a.db") + suffix, toPath: file + suffix)
      }
      if left == .index { try Data(count: 32_768).write(to: URL(fileURLWithPath: file + "-shm")) }
      for suffix in [""] + left.suffixes {
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644], ofItemAtPath: file + suffix)
      }
      try FileManager.default.setAttributes(
        [.posixPermissions: folderPermissions], ofItemAtPath: folder.path)
    }

    func configuration(_ path: String, readOnly: Bool = false) -> Store.Configuration {
      var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
      configuration.readOnly = readOnly
      configuration.encryptionKey = key
      return configuration
    }

    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func read() throws -> Store {
      try Store(configuration: configuration(file, readOnly: true))
    }
  }

  /// From here on the process is that of a user who owns nothing.
  static func becomeAnotherUser() {
    let nobody: UInt32 = 65_534
    setgroups(0, nil)
    precondition(setgid(nobody) == 0 && setuid(nobody) == 0, "root may become anyone")
  }

  static let folderPermissions = [0o755, 0o777]

  @Test func itIsReadAndNothingIsLeft() async {
    await #expect(processExitsWith: .success) {
      var places: [(Place, Left)] = []
      for left in Left.allCases {
        for permissions in Self.folderPermissions {
          for key in [nil, Data(repeating: 7, count: 32)] {
            places.append((try Place(left, folderPermissions: permissions, key: key), left))
          }
        }
      }
      Self.becomeAnotherUser()
      for (place, left) in places {
        let before = try place.names()
        let store = try place.read()
        #expect(store.objects(Dog.self).map(\.name) == ["Rex"], "\(left)")
        #expect(store.freeze().objects(Dog.self).map(\.name) == ["Rex"], "\(left)")
        try store.refresh()
        #expect(throws: StoreError.readOnly(path: place.file)) { try store.write {} }
        store.close()
        #expect(try place.names() == before, "\(left)")
      }
    }
  }

  @Test func itServesAsASeed() async {
    await #expect(processExitsWith: .success) {
      let places = try Left.allCases.map { try Place($0, folderPermissions: 0o755) }
      Self.becomeAnotherUser()
      let own = try TemporaryFolder()
      for (number, place) in places.enumerated() {
        let before = try place.names()
        var configuration = Store.Configuration(
          path: own.file("\(number).db"), schema: TestingSchema.self)
        configuration.seedFileURL = URL(fileURLWithPath: place.file)
        let store = try Store(configuration: configuration)
        #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
        try store.write { try store.add(Dog(name: "Max")) }
        #expect(try place.names() == before)
      }
    }
  }

  @Test func withoutReadOnlyTheSentenceSaysWhatToDo() async {
    await #expect(processExitsWith: .success) {
      let places = try Left.allCases.map { try Place($0, folderPermissions: 0o777) }
      Self.becomeAnotherUser()
      for place in places {
        let error = #expect(throws: StoreError.self) {
          try Store(configuration: place.configuration(place.file))
        }
        #expect(error?.description.contains("open it with readOnly") == true)
      }
    }
  }

  /// The `sqlite3` shell as the owner's process.
  final class Owner {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init() throws {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["sqlite3", "-batch"]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    func say(_ line: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n.print done\n").utf8))
      var answer = Data()
      while !answer.contains(Data("done\n".utf8)) {
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { return }
        answer += more
      }
    }

    func end() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  /// A process of the owner keeps the log and its index, which a reader may follow.
  @Test func whatItsOwnerWritesIsFollowed() async {
    await #expect(processExitsWith: .success) {
      let place = try Place(.nothing, folderPermissions: 0o755)
      let owner = try Owner()
      try owner.say(".open \(place.file)")
      try owner.say("UPDATE Dog SET name = 'Max';")
      Self.becomeAnotherUser()
      let store = try place.read()
      #expect(store.objects(Dog.self).map(\.name) == ["Max"])
      try owner.say("UPDATE Dog SET name = 'Tom';")
      try store.refresh()
      #expect(store.objects(Dog.self).map(\.name) == ["Tom"])
      store.close()
      try owner.end()
    }
  }

  /// A file that nothing changed when it was opened: its owner does later, and what would be read then may be of two states.
  @Test func whatItsOwnerChangesAfterwardsIsAnError() async {
    await #expect(processExitsWith: .success) {
      let place = try Place(.nothing, folderPermissions: 0o755)
      let owner = try Owner()
      Self.becomeAnotherUser()
      let store = try place.read()
      #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
      try owner.say(".open \(place.file)")
      try owner.say("UPDATE Dog SET name = 'Tom';")
      for _ in 0..<2 {
        let error = #expect(throws: StoreError.self) { try store.refresh() }
        #expect(
          error?.description.contains("open it again") == true, "\(String(describing: error))")
      }
      store.close()
      let again = try place.read()
      #expect(again.objects(Dog.self).map(\.name) == ["Tom"])
      try owner.end()
    }
  }
}
