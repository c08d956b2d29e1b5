#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs something several times and keeps the middle of its times.
struct Measurement {
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let time = try clock.measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
  }

  /// The median of so many runs, each of which is prepared outside of the measured time.
  static func median(
    of count: Int, prepare: () throws -> Void = {}, _ body: () throws -> Void
  ) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<count {
      try prepare()
      times.append(try seconds(body))
    }
    return times.sorted()[count / 2]
  }
}

/// A line of the report.
struct Line {
  let name: String
  let limit: Double
  let raw: Double
  let store: Double
  let grdb: Double?

  var ratio: Double { store / raw }
  var isWithin: Bool { ratio <= limit }

  var text: String {
    let grdb = grdb.map { " \(column($0 / raw, 6))" } ?? "      –"
    return "\(name.padded(to: 44)) \(column(raw * 1000, 9)) \(column(store * 1000, 9))"
      + " \(column(ratio, 6)) \(column(limit, 6)) \(grdb)  \(isWithin ? "ok" : "MISSED")"
  }

  private func column(_ value: Double, _ width: Int) -> String {
    let cents = Int((value * 100).rounded())
    let text = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Megabytes that the process has held at most.
func peakMemory() -> Int {
  var usage = rusage()
  #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_maxrss) / 1024
  #else
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss) / 1_048_576
  #endif
}
