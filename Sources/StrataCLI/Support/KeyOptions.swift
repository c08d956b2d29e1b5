import ArgumentParser
import Strata
import StrataSQLite
import StrataSchema
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The key of the databases that a command reads and writes: always a file, because arguments can be seen by others.
struct KeyOptions: ParsableArguments {
  /// Names the file of the key where no option does.
  static let variable = "STRATA_KEY_FILE"

  @Option(
    help: ArgumentHelp(
      "A file with the key or passphrase of the databases; \(variable) otherwise.",
      valueName: "file"), transform: PathArgument.name)
  var keyFile: String?

  /// The file that holds the key; nil for databases that are not encrypted.
  var path: String? { keyFile ?? Self.pathInEnvironment }

  /// What the variable names.
  static var pathInEnvironment: String? {
    guard let value = getenv(variable) else { return nil }
    let path = String(cString: value)
    return path.isEmpty ? nil : path
  }

  /// What the key file holds.
  func key() throws -> FileKey? { try content()?.key }

  /// The same with how it was understood.
  func content() throws -> KeyFile.Content? {
    try path.map { try KeyFile.content(of: $0) }
  }

  /// From here on, every database of this process and of those that it starts is read and written with the key.
  ///
  /// - Parameter kind: the cipher of new files; each file's own when it is left out.
  /// - Returns: what the key file holds; nil without one.
  @discardableResult
  func apply(_ kind: CipherKind? = nil) throws -> KeyFile.Content? {
    guard let path, let content = try content() else {
      guard kind == nil else {
        throw CommandFailure(
          "--cipher needs a key: name the file that holds it with --key-file.",
          status: ExitStatus.usage)
      }
      return nil
    }
    let isPipe = KeyFile.isFromPipe
    let absolute = isPipe ? path : (try? POSIXFiles().realPath(of: path)) ?? path
    setenv(Self.variable, absolute, 1)
    Database.processDefaultVFS = FileCipher(key: content.key, kind: kind).vfs()
    return content
  }
}

/// A file that holds a key: 32 or 64 bytes as they are, the same in hexadecimal digits, or one line of text, a passphrase.
enum KeyFile {
  /// A longer file is no key.
  private static let maximumSize = 4096
  private static let mark = "passphrase:"

  /// What a key file holds, and how it was understood.
  struct Content {
    let key: FileKey
    /// For people: `a key of 32 bytes`.
    let form: String
    /// What may have been meant otherwise, and how to say so; nil where nothing looks like that.
    var doubt: String?

    /// The doubt in a sentence; nil without one.
    func note(of path: String) -> String? {
      doubt.map { "note: \(path) was taken for \(form); \($0)" }
    }
  }

  static func content(of path: String) throws -> Content {
    BuiltInCiphers.install()
    guard FileCipher.isAvailable else {
      throw CommandFailure(
        "The key of \(path) is of no use here: this program was built without encryption. Add traits: [\"Encryption\"] to the "
          + "dependency on Strata in Package.swift, or leave the key out.",
        code: StoreError.encryptionUnavailable(path: path).code)
    }
    let files = POSIXFiles()
    let bytes: [UInt8]
    do {
      guard try files.exists(path) else {
        throw CommandFailure("The key file \(path) does not exist.")
      }
      if try files.status(of: path)?.kind == .other {
        bytes = try contentOfPipe(path)
      } else {
        bytes = try files.read(path, from: 0, count: maximumSize + 1)
      }
    } catch let error as FileError {
      throw CommandFailure("The key file \(path) cannot be read: \(error.reason).")
    }
    guard bytes.count <= maximumSize else {
      throw CommandFailure(
        "The key file \(path) holds no key: it has more than \(grouped(maximumSize)) bytes.",
        code: MigrationError(.keyUnusable, "").code)
    }
    guard let content = content(bytes) else {
      throw CommandFailure(
        "The key file \(path) holds no key: it has 32 or 64 bytes, as many in hexadecimal digits, or one line with a passphrase.",
        code: MigrationError(.keyUnusable, "").code)
    }
    return content
  }

  /// What was read of pipes, by their paths: a pipe gives its bytes once, and a command asks for its key more than once.
  private static let pipes = Mutex<[String: [UInt8]]>([:])

  /// Whether a key of this process came from a pipe: what it starts cannot read that again.
  static var isFromPipe: Bool { pipes.withLock { !$0.isEmpty } }

  /// Refuses a key that came from a pipe, for what starts processes that need it, too.
  static func checkIsFile(for command: String) throws {
    guard isFromPipe else { return }
    throw CommandFailure(
      "\(command) starts processes that read the key, too, and a pipe gives it once: name a file with --key-file.",
      status: ExitStatus.usage)
  }

  /// What a secret store or a shell's `<(…)` writes to a pipe; waits for it.
  static func contentOfPipe(_ path: String) throws -> [UInt8] {
    if let known = pipes.withLock({ $0[path] }) { return known }
    func failure() -> CommandFailure {
      CommandFailure("The key file \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    guard isatty(descriptor) == 0 else {
      throw CommandFailure(
        "The key file \(path) is a terminal, on which a key that is typed can be seen. Name a file or a pipe."
      )
    }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: maximumSize + 1)
    while bytes.count <= maximumSize {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { break }
      bytes += part.prefix(count)
    }
    pipes.withLock { $0[path] = bytes }
    return bytes
  }

  /// Nil where the bytes are no key.
  private static func content(_ bytes: [UInt8]) -> Content? {
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if let key = hexadecimal(Array(line)), FileCipher.keyLengths.contains(key.count) {
      return Content(
        key: .bytes(key), form: "a key of \(key.count) bytes, from \(line.count) hexadecimal digits"
      )
    }
    if FileCipher.keyLengths.contains(bytes.count) {
      let doubt =
        line.starts(with: mark.utf8)
        ? "it is a line of text: without `\(mark)` it is a passphrase, because it has another length"
        : "it is a line of text: with `\(mark)` before it, it is a passphrase"
      return Content(
        key: .bytes(bytes), form: "a key of \(bytes.count) bytes", doubt: isText(line) ? doubt : nil
      )
    }
    let isMarked = line.starts(with: mark.utf8)
    if isMarked { line = line.dropFirst(mark.utf8.count) }
    let isOneLine = !line.isEmpty && !line.contains(UInt8(ascii: "\n")) && !line.contains(0)
    guard isOneLine, let text = String(validating: line, as: UTF8.self) else { return nil }
    let count = text.unicodeScalars.count
    return Content(
      key: .passphrase(Array(line)),
      form: "a passphrase of \(counted(count, "character"))",
      doubt: isMarked ? nil : doubt(ofPassphrase: text))
  }

  /// A passphrase of at least so many hexadecimal digits, and nothing else, may be a key that was cut off.
  private static let digitsOfDoubt = 32

  private static func doubt(ofPassphrase text: String) -> String? {
    if text.unicodeScalars.first == "\u{FEFF}" {
      return "it begins with a byte order mark, which is a part of it"
    }
    guard text.utf8.count >= digitsOfDoubt, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      return nil
    }
    return "it is hexadecimal digits alone, of which a key has 64 or 128"
  }

  /// Whether bytes can be a line that was typed.
  private static func isText(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: line, as: UTF8.self) != nil
  }

  private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
    guard digits.count % 2 == 0, !digits.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let pair = String(validating: digits[place..<place + 2], as: UTF8.self),
        pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
