import Foundation

/// A command that goes on while the test does: it is told lines and answers with lines.
final class RunningCommand {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private var unread: [UInt8] = []

  init(_ command: [String], in folder: URL) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  func tell(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The next line of its standard output, or of its errors; nil where it has ended.
  func nextLine(ofErrors: Bool = false) -> String? {
    let pipe = ofErrors ? errors : output
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      let bytes = pipe.fileHandleForReading.readSome()
      if bytes.isEmpty { return nil }
      unread += bytes
    }
  }

  func send(_ number: Int32) { kill(process.processIdentifier, number) }

  var isRunning: Bool { process.isRunning }

  var identifier: Int32 { process.processIdentifier }

  /// Closes its input and waits for its end; what it has said since.
  func finish() throws -> CommandRunner.Result {
    try? input.fileHandleForWriting.close()
    let rest = output.fileHandleForReading.readAll()
    let errorBytes = errors.fileHandleForReading.readAll()
    process.waitUntilExit()
    return CommandRunner.Result(
      status: process.terminationStatus,
      output: String(decoding: unread + rest, as: UTF8.self),
      errors: String(decoding: errorBytes, as: UTF8.self))
  }
}

extension FileHandle {
  /// What has come; nothing at the end. Foundation's own traps when a signal comes in between.
  func readSome() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = bytes.withUnsafeMutableBytes { systemRead(fileDescriptor, $0) }
      if count < 0, errno == EINTR { continue }
      return Array(bytes.prefix(max(0, count)))
    }
  }

  func readAll() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = readSome()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, bytes.baseAddress, bytes.count)
}

/// The `sqlite3` shell on a file: another program, in another process.
struct SQLiteShell {
  private static let end = "-- end --"
  let command: RunningCommand

  init(_ file: String, in folder: URL) throws {
    command = try RunningCommand(["sqlite3", file], in: folder)
  }

  /// What a statement answers, line by line.
  @discardableResult
  func ask(_ statement: String) throws -> [String] {
    try command.tell(statement + "\n.print \"\(Self.end)\"")
    var lines: [String] = []
    while let line = command.nextLine(), line != Self.end { lines.append(line) }
    return lines
  }

  func close() throws { _ = try command.finish() }
}
