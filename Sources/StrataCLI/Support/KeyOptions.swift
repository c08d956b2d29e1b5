import ArgumentParser
import Strata
import StrataSQLite

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
  var path: String? {
    if let keyFile { return keyFile }
    guard let value = getenv(Self.variable) else { return nil }
    let path = String(cString: value)
    return path.isEmpty ? nil : path
  }

  /// What the key file holds.
  func key() throws -> FileKey? {
    try path.map { try KeyFile.read($0) }
  }

  /// From here on, every database of this process and of those that it starts is read and written with the key.
  ///
  /// - Parameter kind: the cipher of new files; each file's own when it is left out.
  func apply(_ kind: CipherKind? = nil) throws {
    guard let path, let key = try key() else {
      guard kind == nil else {
        throw CommandFailure(
          "--cipher needs a key: name the file that holds it with --key-file.",
          status: ExitStatus.usage)
      }
      return
    }
    let absolute = (try? POSIXFiles().realPath(of: path)) ?? path
    setenv(Self.variable, absolute, 1)
    Database.processDefaultVFS = FileCipher(key: key, kind: kind).vfs()
  }
}

/// A file that holds a key: 32 or 64 bytes as they are, the same in hexadecimal digits, or one line of text, a passphrase.
enum KeyFile {
  /// A longer file is no key.
  private static let maximumSize = 4096
  private static let mark = "passphrase:"

  static func read(_ path: String) throws -> FileKey {
    BuiltInCiphers.install()
    guard FileCipher.isAvailable else {
      throw CommandFailure(
        "The key of \(path) is of no use here: this program was built without encryption. Add traits: [\"Encryption\"] to the "
          + "dependency on Strata in Package.swift, or leave the key out. [STR5012]")
    }
    let files = POSIXFiles()
    let bytes: [UInt8]
    do {
      guard try files.exists(path) else {
        throw CommandFailure("The key file \(path) does not exist.")
      }
      bytes = try files.read(path, from: 0, count: maximumSize + 1)
    } catch let error as FileError {
      throw CommandFailure("The key file \(path) cannot be read: \(error.reason).")
    }
    guard let key = key(bytes) else {
      throw CommandFailure(
        "The key file \(path) holds no key: it has 32 or 64 bytes, as many in hexadecimal digits, or one line with a passphrase."
      )
    }
    return key
  }

  /// Nil where the bytes are none.
  static func key(_ bytes: [UInt8]) -> FileKey? {
    guard bytes.count <= maximumSize else { return nil }
    if FileCipher.keyLengths.contains(bytes.count), hexadecimal(bytes) == nil {
      return .bytes(bytes)
    }
    var line = bytes[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if let key = hexadecimal(Array(line)), FileCipher.keyLengths.contains(key.count) {
      return .bytes(key)
    }
    if line.starts(with: mark.utf8) { line = line.dropFirst(mark.utf8.count) }
    let isOneLine = !line.isEmpty && !line.contains(UInt8(ascii: "\n")) && !line.contains(0)
    guard isOneLine, String(validating: line, as: UTF8.self) != nil else { return nil }
    return .passphrase(Array(line))
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
