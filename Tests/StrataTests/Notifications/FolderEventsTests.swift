#if os(Linux)
  import Strata
  import Testing

  /// What the system tells of the folder of a database.
  @Suite struct FolderEventsTests {
    static let modified: UInt32 = 0x2
    static let overflow: UInt32 = 0x4000
    static let ignored: UInt32 = 0x8000

    private func event(_ mask: UInt32, watch: Int32 = 1, _ name: String = "") -> [UInt8] {
      // Names end with zeros, up to a multiple of a header's length.
      let length = name.isEmpty ? 0 : (name.utf8.count / 16 + 1) * 16
      let padding = [UInt8](repeating: 0, count: length - name.utf8.count)
      return [UInt32(bitPattern: watch), mask, 0, UInt32(length)].flatMap { field in
        withUnsafeBytes(of: field) { Array($0) }
      } + Array(name.utf8) + padding
    }

    private func concern(_ events: [UInt8]...) -> Bool {
      var read = FolderEvents()
      for events in events { read.add(events[...]) }
      return read.concern(["a.db", "a.db-wal"])
    }

    @Test func filesAreToldApart() {
      let others = event(Self.modified, "b.db") + event(Self.modified, "a.db-wal.a.long.name")

      #expect(!concern() && !concern(others))
      #expect(concern(others + event(Self.modified, "a.db-wal") + others))
      #expect(concern(others, event(Self.modified, "a.db")))
    }

    @Test func whatTheSystemDoesNotTellMayBeAnything() {
      #expect(concern(event(Self.modified, "b.db") + event(Self.overflow, watch: -1)))
      #expect(concern(event(Self.ignored)))
    }
  }
#endif
