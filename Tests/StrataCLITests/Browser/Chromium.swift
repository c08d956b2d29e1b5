import Foundation
import StrataSchema
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A headless Chromium with one page, driven over the debug protocol
/// (<https://chromedevtools.github.io/devtools-protocol>) through a pair of pipes.
final class Chromium {
  struct Failure: Error, CustomStringConvertible {
    let description: String

    /// Whether the browser went to another page while a script ran.
    var isOfLeavingThePage: Bool {
      ["Inspected target navigated", "Execution context was destroyed", "Cannot find context"]
        .contains { description.contains($0) }
    }
  }

  /// The browser of this machine; nil where there is none.
  static let path: String? = {
    let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Why tests of pages are skipped.
  static let absence: Comment = "Chromium is not installed (apt-get install chromium)"

  /// Milliseconds that an answer may take before the test fails: it bounds the wait for a page that is wrong, on a busy machine, too.
  private static let patience: Int32 = 600_000

  /// Pages that come and go while something is waited for.
  private static let maximumPages = 8

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let profile: URL
  private var buffer: [UInt8] = []
  private var number = 0
  private var session: String?
  private var events: [JSON] = []

  init(width: Int = 1200, height: Int = 800, isDark: Bool = false) throws {
    let path = try #require(Self.path, Self.absence)
    profile = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-browser-\(UUID().uuidString)")
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The protocol speaks on the descriptors 3 and 4.
    process.arguments = [
      "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", path, "--headless",
      "--no-sandbox",
      "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
      "--user-data-dir=\(profile.path)", "--window-size=\(width),\(height)",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"]?.string
    session =
      try call(
        "Target.attachToTarget",
        ["targetId": .string(target ?? ""), "flatten": .bool(true)])["sessionId"]?.string
    for domain in ["Page", "Runtime", "Log", "Accessibility"] { try call("\(domain).enable", [:]) }
    try call("Page.setLifecycleEventsEnabled", ["enabled": .bool(true)])
    try resize(width, height)
    if isDark {
      try call(
        "Emulation.setEmulatedMedia",
        [
          "features": .array([
            .object(["name": "prefers-color-scheme", "value": "dark"])
          ])
        ])
    }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: profile)
  }

  func resize(_ width: Int, _ height: Int) throws {
    try call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .int(Int64(width)), "height": .int(Int64(height)), "deviceScaleFactor": .int(1),
        "mobile": .bool(false),
      ])
  }

  /// Loads a page and waits until it is there: this one, and not the empty one before it, which may be late.
  func open(_ url: String) throws {
    let loader = try #require(try call("Page.navigate", ["url": .string(url)])["loaderId"])
    try wait { event in
      event["method"]?.string == "Page.lifecycleEvent" && event["params"]?["name"] == "load"
        && event["params"]?["loaderId"] == loader
    }
  }

  /// The value of an expression in the page; of a promise, what it becomes.
  @discardableResult
  func evaluate(_ script: String) throws -> JSON {
    let answer = try call(
      "Runtime.evaluate",
      [
        "expression": .string(script), "awaitPromise": .bool(true), "returnByValue": .bool(true),
      ])
    if let problem = answer["exceptionDetails"] {
      throw Failure(description: problem.canonicalText)
    }
    return answer["result"]?["value"] ?? .null
  }

  /// Waits until an expression is true, also in the page that the browser goes to meanwhile.
  func wait(until script: String) throws {
    let look = """
      new Promise(done => {
        const end = Date.now() + \(Self.patience / 2);
        const look = () => { if (\(script)) done(true); else if (Date.now() > end) done(false); else setTimeout(look, 20); };
        look();
      })
      """
    for _ in 0..<Self.maximumPages {
      do {
        guard try evaluate(look) == .bool(true) else {
          throw Failure(description: "never: \(script)")
        }
        return
      } catch let failure as Failure where failure.isOfLeavingThePage {
        continue
      }
    }
    throw Failure(description: "the browser goes from page to page without: \(script)")
  }

  func press(_ key: String, text: String? = nil) throws {
    var down: [String: JSON] = ["type": "keyDown", "key": .string(key)]
    if let text { down["text"] = .string(text) }
    try call("Input.dispatchKeyEvent", down)
    try call("Input.dispatchKeyEvent", ["type": "keyUp", "key": .string(key)])
  }

  /// Chooses a file in the field that an expression gives, as a user does: nothing is told of one that is there already.
  func choose(_ path: String, in script: String) throws {
    let field = try call("Runtime.evaluate", ["expression": .string(script)])["result"]?["objectId"]
    try call(
      "DOM.setFileInputFiles",
      ["files": .array([.string(path)]), "objectId": try #require(field, "\(script)")])
  }

  /// What went wrong in the page: exceptions, refused content, failed requests. An edit or a condition that the server refuses is
  /// for the page to say.
  var problems: [String] {
    events.filter {
      $0["method"]?.string == "Runtime.exceptionThrown"
        || $0["method"]?.string == "Log.entryAdded"
          && $0["params"]?["entry"]?["level"]?.string == "error"
          && $0["params"]?["entry"]?["text"]?.string?.contains("status of 400") != true
    }.map(\.canonicalText)
  }

  /// Elements that are reached by the keyboard, or have a role that needs one, and have no name.
  func namelessElements() throws -> [String] {
    let nodes = try call("Accessibility.getFullAXTree", [:])["nodes"]?.array ?? []
    let named: Set<String> = [
      "button", "link", "textbox", "searchbox", "combobox", "checkbox", "img", "image", "region",
      "gridcell", "columnheader", "heading", "option",
    ]
    return nodes.filter { node in
      guard node["ignored"]?.bool != true, let role = node["role"]?["value"]?.string else {
        return false
      }
      let isReached =
        node["properties"]?.array?.contains {
          $0["name"]?.string == "focusable" && $0["value"]?["value"]?.bool == true
        } ?? false
      guard named.contains(role) || isReached && role != "RootWebArea" else { return false }
      return (node["name"]?["value"]?.string ?? "").isEmpty && role != "gridcell"
    }.map(\.canonicalText)
  }

  /// Findings of axe-core that it calls serious or worse; nil where `STRATA_AXE` does not name its `axe.min.js`.
  func axeFindings() throws -> [String]? {
    guard let path = ProcessInfo.processInfo.environment["STRATA_AXE"] else { return nil }
    try call("Page.setBypassCSP", ["enabled": .bool(true)])
    try evaluate(String(contentsOfFile: path, encoding: .utf8) + "\n;0")
    let found = try evaluate(
      """
      axe.run(document, {resultTypes: ['violations']}).then(result => result.violations
        .filter(found => found.impact === 'serious' || found.impact === 'critical')
        .map(found => found.id + ' ' + found.nodes.map(node => node.html).join(' ').slice(0, 400)))
      """)
    return found.array?.compactMap(\.string) ?? []
  }

  // MARK: The protocol

  @discardableResult
  func call(_ method: String, _ parameters: [String: JSON]) throws -> JSON {
    number += 1
    var message: [String: JSON] = [
      "id": .int(Int64(number)), "method": .string(method), "params": .object(parameters),
    ]
    if let session { message["sessionId"] = .string(session) }
    let text = JSON.object(message).canonicalText
    input.fileHandleForWriting.write(Data(text.utf8 + [0]))
    while true {
      let answer = try next()
      guard answer["id"]?.int == Int64(number) else {
        events.append(answer)
        continue
      }
      if let error = answer["error"] {
        throw Failure(description: "\(method): \(error.canonicalText)")
      }
      return answer["result"] ?? .null
    }
  }

  private func wait(forEvent isMeant: (JSON) -> Bool) throws {
    while !events.contains(where: isMeant) { events.append(try next()) }
  }

  private func next() throws -> JSON {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0) {
        let message = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        return try JSON.parse(message)
      }
      searched = buffer.count
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Self.patience) > 0 else {
        throw Failure(description: "the browser does not answer")
      }
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { throw Failure(description: "the browser is gone") }
      buffer += piece[..<count]
    }
  }
}
