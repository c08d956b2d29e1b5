#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An empty file in a folder, which a living process holds locked.
final class FolderMark {
  /// With the name of the machine: several may share a folder over a network, and not know of each other's locks.
  static let name = "in-use." + machine

  enum Outcome {
    case taken(FolderMark)
    case heldByOther
    /// There is none, or it cannot be locked.
    case impossible
  }

  private let path: String
  private var descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Locks the mark of a folder.
  ///
  /// - Parameter making: whether the folder is new, and gets one.
  static func take(in folder: String, making: Bool) -> Outcome {
    let path = folder + "/" + name
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (making ? O_CREAT | O_EXCL : 0)
    let descriptor = open(path, flags, mode_t(0o600))
    guard descriptor >= 0 else { return .impossible }
    let mark = FolderMark(path: path, descriptor: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      if making, !isHeld { mark.remove() }
      return isHeld ? .heldByOther : .impossible
    }
    // The process that held it until now may have removed it.
    var (held, named) = (stat(), stat())
    guard fstat(descriptor, &held) == 0, lstat(path, &named) == 0, held.st_ino == named.st_ino
    else { return .heldByOther }
    return .taken(mark)
  }

  func remove() { unlink(path) }

  func letGo() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }

  deinit { letGo() }

  private static let machine: String = {
    let capacity = 256
    var bytes = [CChar](repeating: 0, count: capacity)
    // The last byte stays zero, also where the name is longer.
    guard gethostname(&bytes, capacity - 1) == 0 else { return "unknown" }
    let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let longest = 200
    return String(
      decoding: name.prefix(longest).map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
  }()

  private static func isPlain(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    return character.isASCII
      && (character.isLetter || character.isNumber || ".-_".contains(character))
  }
}
