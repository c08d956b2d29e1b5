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
/// What it says may come a moment before the transaction can be seen, so the signal is given once more a little later.
final class FileWatch: Sendable {
  /// How much later.
  static let delay = DispatchTimeInterval.milliseconds(50)

  private let queue = DispatchQueue(label: "strata.files")
  // A dispatch source may be cancelled from any thread, once it is set up.
  private nonisolated(unsafe) let source: any DispatchSourceProtocol
  private let isRepeating = Atomic<Bool>(false)
  private let signal: @Sendable () -> Void

  /// Nil when the system cannot watch the file: then commits of other processes are seen at the next `refresh()`.
  init?(_ path: String, _ signal: @escaping @Sendable () -> Void) {
    self.signal = signal
    guard let source = Self.makeSource(path, queue) else { return nil }
    self.source = source.source
    source.source.setEventHandler { [weak self] in
      if source.happened() { self?.fileWasWritten() }
    }
    source.source.setCancelHandler { close(source.descriptor) }
    source.source.activate()
  }

  deinit { source.cancel() }

  func stop() { source.cancel() }

  private func fileWasWritten() {
    signal()
    guard !isRepeating.exchange(true, ordering: .relaxed) else { return }
    queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
      self?.isRepeating.store(false, ordering: .relaxed)
      self?.signal()
    }
  }

  private struct Watched {
    let source: any DispatchSourceProtocol
    let descriptor: Int32
    /// Whether one of the files was meant.
    let happened: () -> Bool
  }

  #if canImport(Darwin)
    private static func makeSource(_ path: String, _ queue: DispatchQueue) -> Watched? {
      var descriptor = open(path + "-wal", O_EVTONLY)
      if descriptor < 0 { descriptor = open(path, O_EVTONLY) }
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
      return Watched(source: source, descriptor: descriptor) { true }
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
        readNames(descriptor).contains { names.contains($0) }
      }
    }

    /// The names of the files to which something happened.
    private static func readNames(_ descriptor: Int32) -> [String] {
      var names: [String] = []
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return names }
        buffer.withUnsafeBytes { bytes in
          var offset = 0
          let header = MemoryLayout<inotify_event>.size
          while offset + header <= count {
            let length = Int(
              bytes.loadUnaligned(
                fromByteOffset: offset + MemoryLayout<inotify_event>.offset(of: \.len)!,
                as: UInt32.self))
            let text = bytes[(offset + header)..<min(count, offset + header + length)]
            names.append(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
            offset += header + length
          }
        }
      }
    }
  #endif
}
