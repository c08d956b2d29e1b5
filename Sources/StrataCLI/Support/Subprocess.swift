#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs another program and takes what it writes.
struct Subprocess {
  /// More than any program that is run here writes.
  static let maximumOutput = 512 << 20

  struct Result {
    var status: Int32
    var output: [UInt8]
    var errors: [UInt8]
  }

  enum Failure: Error {
    case cannotStart(Int32)
    case tooMuchOutput
  }

  /// Looks the program up in `PATH`, writes the input to it, and waits for its end.
  ///
  /// - Parameters:
  ///   - environment: variables, `NAME=value`, in place of those that are inherited.
  ///   - removed: the names of variables that are not inherited.
  static func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [], environment: [String] = [],
    removing removed: Set<String> = []
  ) throws -> Result {
    var stdin: [Int32] = [-1, -1]
    var stdout: [Int32] = [-1, -1]
    var stderr: [Int32] = [-1, -1]
    guard pipe(&stdin) == 0, pipe(&stdout) == 0, pipe(&stderr) == 0 else {
      (stdin + stdout + stderr).filter { $0 >= 0 }.forEachDescriptor { close($0) }
      throw Failure.cannotStart(errno)
    }
    // Closing what the child does not need in it, or it would never see the end of its input.
    for descriptor in [stdin[1], stdout[0], stderr[0]] {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    let process: pid_t
    do {
      process = try spawn(
        program, arguments, environment: inherited(without: removed, environment) + environment,
        streams: (stdin[0], stdout[1], stderr[1]))
    } catch {
      (stdin + stdout + stderr).forEachDescriptor { close($0) }
      throw error
    }
    [stdin[0], stdout[1], stderr[1]].forEachDescriptor { close($0) }
    var exchange = Exchange(input: input, streams: (stdin[1], stdout[0], stderr[0]))
    let isComplete = exchange.run()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard isComplete else { throw Failure.tooMuchOutput }
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return Result(status: code, output: exchange.output, errors: exchange.errors)
  }

  private static func spawn(
    _ program: String, _ arguments: [String], environment: [String],
    streams: (Int32, Int32, Int32)
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, source) in [streams.0, streams.1, streams.2].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
      if source != Int32(target) { posix_spawn_file_actions_addclose(&actions, source) }
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, program, &actions, nil, &words, &variables)
    guard error == 0 else { throw Failure.cannotStart(error) }
    return process
  }

  private static func inherited(without removed: Set<String>, _ set: [String]) -> [String] {
    func name(_ variable: String) -> String { String(variable.prefix { $0 != "=" }) }
    let names = removed.union(set.map(name))
    return inheritedEnvironment().filter { !names.contains(name($0)) }
  }

  private static func inheritedEnvironment() -> [String] {
    var list: [String] = []
    var next = environ
    while let variable = next.pointee {
      list.append(String(cString: variable))
      next += 1
    }
    return list
  }

  /// Writes and reads at the same time, so that neither side waits for the other for ever.
  private struct Exchange {
    var input: ArraySlice<UInt8>
    var output: [UInt8] = []
    var errors: [UInt8] = []
    private var streams: [Int32]

    init(input: [UInt8], streams: (Int32, Int32, Int32)) {
      self.input = input[...]
      self.streams = [streams.0, streams.1, streams.2]
    }

    /// False where there was more output than is taken.
    mutating func run() -> Bool {
      // A program that ends without reading all of its input must not end this one.
      let previous = signal(SIGPIPE, SIG_IGN)
      defer { signal(SIGPIPE, previous) }
      var isComplete = true
      if input.isEmpty { close(0) }
      while streams[1] >= 0 || streams[2] >= 0 {
        var polled = streams.enumerated().map { index, stream in
          pollfd(fd: stream, events: Int16(index == 0 ? POLLOUT : POLLIN), revents: 0)
        }
        if poll(&polled, nfds_t(polled.count), -1) < 0 {
          if errno == EINTR { continue }
          break
        }
        for index in polled.indices where polled[index].revents != 0 {
          if index == 0 { write() } else { read(index) }
        }
        if output.count + errors.count > Subprocess.maximumOutput {
          isComplete = false
          break
        }
      }
      for index in streams.indices { close(index) }
      return isComplete
    }

    private mutating func close(_ index: Int) {
      if streams[index] >= 0 { closeDescriptor(streams[index]) }
      streams[index] = -1
    }

    private mutating func write() {
      let count = input.prefix(4096).withUnsafeBytes { systemWrite(streams[0], $0) }
      if count < 0, errno != EINTR { return close(0) }
      input = input.dropFirst(max(0, count))
      if input.isEmpty { close(0) }
    }

    private mutating func read(_ index: Int) {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = buffer.withUnsafeMutableBytes { systemRead(streams[index], $0) }
      if count < 0, errno == EINTR { return }
      guard count > 0 else { return close(index) }
      if index == 1 { output += buffer[..<count] } else { errors += buffer[..<count] }
    }
  }
}

extension [Int32] {
  fileprivate func forEachDescriptor(_ body: (Int32) -> Void) {
    for descriptor in self { body(descriptor) }
  }
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, bytes.baseAddress, bytes.count)
}
