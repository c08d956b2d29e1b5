import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Notices that another process writes to a database: the system says when its files are written to.
///
/// What it says may come before the transaction can be seen: SQLite writes the log, waits for the disk where it is asked to, and then says in
/// memory how far the log reaches, of which no system tells. The process may stand still in between. So the signal is given again behind the
/// last write: a little later, and then each time after twice the time.
final class FileWatch: Sendable {
  private let queue = DispatchQueue(label: "strata.files")
  // A dispatch source may be cancelled from any thread, once it is set up.
  private nonisolated(unsafe) let source: any DispatchSourceProtocol
  private let later = Mutex(LaterSignals())
  private let signal: @Sendable () -> Void

  /// Nil when the system cannot watch the file: then commits of other processes are seen at the next `refresh()`.
  init?(_ path: String, _ signal: @escaping @Sendable () -> Void) {
    self.signal = signal
    guard let source = Self.makeSource(path, queue) else { return nil }
    self.source = source.source
    source.source.setEventHandler { [weak self] in
      if source.happened() { self?.fileWasWritten() }
    }
    source.source.setCancelHandler { if !source.isKept { close(source.descriptor) } }
    source.source.activate()
  }

  deinit { source.cancel() }

  func stop() {
    source.cancel()
    later.withLock { $0.stop() }
  }

  private func fileWasWritten() {
    signal()
    if let first = later.withLock({ $0.written() }) { signalLater(first) }
  }

  private func signalLater(_ place: LaterSignals.Place) {
    queue.asyncAfter(deadline: .now() + .milliseconds(place.delay)) { [weak self] in
      guard let self, later.withLock({ $0.isDue(place) }) else { return }
      signal()
      if let next = later.withLock({ $0.given(place) }) { signalLater(next) }
    }
  }

  private struct Watched {
    let source: any DispatchSourceProtocol
    let descriptor: Int32
    /// Whether the descriptor stays open behind the end of the watch.
    var isKept = false
    /// Whether one of the files was meant.
    let happened: () -> Bool
  }

  #if canImport(Darwin)
    private struct FileNumber: Hashable {
      let device: dev_t
      let number: ino_t

      init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
      }
    }

    /// Those of databases without a log. With the end of any descriptor of a file the system drops all locks of the process on it, and a
    /// store may hold some: each is kept, and used again.
    private static let keptDescriptors = Mutex<[FileNumber: Int32]>([:])

    private static func makeSource(_ path: String, _ queue: DispatchQueue) -> Watched? {
      var descriptor = open(path + "-wal", O_EVTONLY | O_CLOEXEC)
      let isKept = descriptor < 0
      if isKept { descriptor = keptDescriptor(of: path) }
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
      return Watched(source: source, descriptor: descriptor, isKept: isKept) { true }
    }

    /// - Returns: less than 0 where the file cannot be opened.
    private static func keptDescriptor(of path: String) -> Int32 {
      keptDescriptors.withLock { kept in
        var status = stat()
        if stat(path, &status) == 0, let descriptor = kept[FileNumber(status)] { return descriptor }
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        if descriptor >= 0, fstat(descriptor, &status) == 0 {
          kept[FileNumber(status)] = descriptor
        }
        return descriptor
      }
    }
  #else
    /// Of the folder, because the log of a database comes and goes.
    private static func makeSource(_ path: String, _ queue: DispatchQueue) -> Watched? {
      let name = path.split(separator: "/").last.map { String($0) } ?? path
      let folder = path.dropLast(name.count)
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let mask = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
      guard inotify_add_watch(descriptor, folder.isEmpty ? "." : String(folder), mask) >= 0 else {
        close(descriptor)
        return nil
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      let names = [name, name + "-wal", name + "-journal"]
      return Watched(source: source, descriptor: descriptor) {
        readEvents(descriptor).concern(names)
      }
    }

    private static func readEvents(_ descriptor: Int32) -> FolderEvents {
      var events = FolderEvents()
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return events }
        events.add(buffer[..<count])
      }
    }
  #endif
}

#if !canImport(Darwin)
  /// What inotify tells of a folder: <https://man7.org/linux/man-pages/man7/inotify.7.html>.
  package struct FolderEvents {
    /// The names of the files to which something happened.
    private var names: Set<String> = []
    /// Whether something is not told: more happened than the system keeps, or the folder is not watched any more.
    private var isCutShort = false

    package init() {}

    /// Whether something happened, or may have happened, to one of these files.
    package func concern(_ files: [String]) -> Bool {
      isCutShort || files.contains(where: names.contains)
    }

    /// - Parameter events: as they are read, one behind the other.
    package mutating func add(_ events: ArraySlice<UInt8>) {
      events.withUnsafeBytes { bytes in
        let header = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + header <= bytes.count {
          func field(_ path: PartialKeyPath<inotify_event>) -> UInt32 {
            bytes.loadUnaligned(
              fromByteOffset: offset + MemoryLayout<inotify_event>.offset(of: path)!,
              as: UInt32.self)
          }
          let end = min(bytes.count, offset + header + Int(field(\.len)))
          if field(\.mask) & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0 { isCutShort = true }
          let name = bytes[(offset + header)..<end].prefix { $0 != 0 }
          if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
          offset = end
        }
      }
    }
  }
#endif
