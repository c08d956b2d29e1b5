import CSQLite

extension Database {
  /// Adds an aggregate function: `initial` state, one `step` a row, and the result from the last state.
  package func addAggregate<State>(
    _ name: String, argumentCount: Int, initial: @escaping () -> State,
    step: @escaping (inout State, FunctionCall) throws -> Void,
    result: @escaping (State, FunctionCall) throws -> Void
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(
      AggregateBox(
        self, begin: { RunningAggregate(initial(), step: step, result: result) }))
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount),
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, box.toOpaque(), nil,
      { context, count, values in
        guard let context, let box = AggregateBox.of(context) else { return }
        box.step(FunctionCall(context: context, values: values, count: Int(count)))
      },
      { context in
        guard let context, let box = AggregateBox.of(context) else { return }
        box.finish(FunctionCall(context: context, values: nil, count: 0))
      },
      { address in
        if let address { Unmanaged<AggregateBox>.fromOpaque(address).release() }
      })
    try check(code)
  }
}

private protocol AnyRunningAggregate: AnyObject {
  func step(_ call: FunctionCall) throws
  func finish(_ call: FunctionCall) throws
}

private final class RunningAggregate<State>: AnyRunningAggregate {
  private var state: State
  private let stepBody: (inout State, FunctionCall) throws -> Void
  private let resultBody: (State, FunctionCall) throws -> Void

  init(
    _ state: State, step: @escaping (inout State, FunctionCall) throws -> Void,
    result: @escaping (State, FunctionCall) throws -> Void
  ) {
    self.state = state
    self.stepBody = step
    self.resultBody = result
  }

  func step(_ call: FunctionCall) throws { try stepBody(&state, call) }
  func finish(_ call: FunctionCall) throws { try resultBody(state, call) }
}

private final class AggregateBox {
  private unowned let database: Database
  private let begin: () -> any AnyRunningAggregate

  init(_ database: Database, begin: @escaping () -> any AnyRunningAggregate) {
    self.database = database
    self.begin = begin
  }

  static func of(_ context: OpaquePointer) -> AggregateBox? {
    sqlite3_user_data(context).map {
      Unmanaged<AggregateBox>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// SQLite keeps room for one address a group; it is zero before the first step.
  private func slot(of call: FunctionCall, create: Bool) -> UnsafeMutablePointer<UInt>? {
    let size = create ? Int32(MemoryLayout<UInt>.size) : 0
    return sqlite3_aggregate_context(call.context, size)?.assumingMemoryBound(to: UInt.self)
  }

  func step(_ call: FunctionCall) {
    guard let slot = slot(of: call, create: true) else { return }
    do {
      let running: any AnyRunningAggregate
      if let address = UnsafeRawPointer(bitPattern: slot.pointee) {
        running = Unmanaged<Holder>.fromOpaque(address).takeUnretainedValue().running
      } else {
        running = begin()
        slot.pointee = UInt(bitPattern: Unmanaged.passRetained(Holder(running)).toOpaque())
      }
      try running.step(call)
    } catch {
      report(error, to: call)
    }
  }

  func finish(_ call: FunctionCall) {
    do {
      let slot = slot(of: call, create: false)
      if let slot, let address = UnsafeRawPointer(bitPattern: slot.pointee) {
        // SQLite finishes every group that had a step, also after an error.
        let holder = Unmanaged<Holder>.fromOpaque(address).takeRetainedValue()
        slot.pointee = 0
        try holder.running.finish(call)
      } else {
        try begin().finish(call)
      }
    } catch {
      report(error, to: call)
    }
  }

  private func report(_ error: any Error, to call: FunctionCall) {
    database.lastFunctionError = error
    sqlite3_result_error(call.context, "\(error)", -1)
  }

  private final class Holder {
    let running: any AnyRunningAggregate
    init(_ running: any AnyRunningAggregate) { self.running = running }
  }
}
