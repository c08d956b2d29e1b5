#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A process that has a file open.
package struct FileUser: Hashable, Sendable {
  package let process: Int32
  /// What the system calls its program.
  package let name: String

  package init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }
}

/// The other processes that have a database open, where the system tells: on Linux those whose descriptors this user may see, which are
/// his own or, of root, all.
///
/// The look is for a sentence, when something has failed already: it ends early rather than to let its user wait.
package enum FileUsers {
  private static let maximumProcesses = 20_000
  private static let maximumDescriptors = 10_000
  private static let maximumFound = 16
  private static let maximumTime = Duration.milliseconds(300)
  private static let maximumPath = 4096

  /// - Parameter path: the database.
  /// - Returns: by their numbers; empty where the system does not tell.
  package static func others(of path: String) -> [FileUser] {
    #if os(Linux) || os(Android)
      let end = ContinuousClock().now + maximumTime
      var status = stat()
      guard stat(path, &status) == 0 else { return [] }
      let own = getpid()
      var found: [FileUser] = []
      for name in names(in: "/proc", atMost: maximumProcesses) {
        guard found.count < maximumFound, ContinuousClock().now < end else { break }
        guard let process = Int32(name), process != own, has(status, path, openIn: process) else {
          continue
        }
        found.append(FileUser(process: process, name: program(of: process)))
      }
      return found.sorted { $0.process < $1.process }
    #else
      return []
    #endif
  }

  #if os(Linux) || os(Android)
    /// Asks for the status of those descriptors alone that are called as the database is: of others, a device or a network
    /// could be slow to answer.
    private static func has(_ status: stat, _ path: String, openIn process: Int32) -> Bool {
      let folder = "/proc/\(process)/fd"
      let name = Array(FilePaths.name(of: path).utf8)
      var target = [UInt8](repeating: 0, count: maximumPath)
      for descriptor in names(in: folder, atMost: maximumDescriptors) {
        let link = folder + "/" + descriptor
        let count = target.withUnsafeMutableBytes {
          readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count > name.count, target[count - name.count - 1] == UInt8(ascii: "/"),
          target[..<count].suffix(name.count).elementsEqual(name)
        else { continue }
        var opened = stat()
        if stat(link, &opened) == 0, opened.st_ino == status.st_ino, opened.st_dev == status.st_dev
        {
          return true
        }
      }
      return false
    }

    private static func program(of process: Int32) -> String {
      let maximumName = 64
      let bytes =
        (try? POSIXFiles().read("/proc/\(process)/comm", from: 0, count: maximumName)) ?? []
      let name = String(decoding: bytes, as: UTF8.self)
      // A program calls itself what it likes.
      return String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    }

    /// Names in a folder of numbers, in no order.
    private static func names(in path: String, atMost maximum: Int) -> [String] {
      guard let folder = opendir(path) else { return [] }
      defer { closedir(folder) }
      var names: [String] = []
      while names.count < maximum, let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
            String(cString: $0)
          }
        }
        if name.utf8.first.map({ (0x30...0x39).contains($0) }) == true { names.append(name) }
      }
      return names
    }
  #endif
}
