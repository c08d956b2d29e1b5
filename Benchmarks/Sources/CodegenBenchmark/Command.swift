import Foundation

/// A program that is run and timed.
struct Command {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let program: String
  let arguments: [String]
  var folder: URL?

  init(_ program: String, _ arguments: [String], in folder: URL? = nil) {
    self.program = program
    self.arguments = arguments
    self.folder = folder
  }

  /// Runs it, and answers with its output.
  @discardableResult
  func run() throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description:
          "\(program) \(arguments.prefix(4).joined(separator: " ")) …: \(text.suffix(2000))")
    }
    return text
  }
}

enum Clock {
  /// How often each thing is measured.
  static let runs = 5

  /// The median of some runs, in seconds.
  static func median(prepare: () throws -> Void = {}, _ body: () throws -> Void) rethrows -> Double
  {
    var times: [Double] = []
    for _ in 0..<runs {
      try prepare()
      let start = DispatchTime.now().uptimeNanoseconds
      try body()
      times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
    }
    return times.sorted()[runs / 2]
  }
}

func report(_ what: String, _ seconds: Double, _ note: String = "") {
  let padded = what.padding(toLength: 52, withPad: " ", startingAt: 0)
  print(padded + String(format: "%9.1f ms  ", seconds * 1000) + note)
}

func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
