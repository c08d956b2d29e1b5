/// Times one run.
enum Measurement {
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let time = try clock.measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
  }
}

/// Times of several runs, of which the middle counts.
struct Times {
  private var times: [Double] = []

  mutating func measure(_ body: () throws -> Void) rethrows {
    times.append(try Measurement.seconds(body))
  }

  var median: Double { times.isEmpty ? 0 : times.sorted()[times.count / 2] }
}

/// A line of the report.
struct Line {
  let name: String
  let limit: Double
  let raw: Double
  let store: Double
  let grdb: Double

  var ratio: Double { store / raw }
  var isWithin: Bool { ratio <= limit }

  var text: String {
    return "\(name.padded(to: 44)) \(column(raw * 1000, 9)) \(column(store * 1000, 9))"
      + " \(column(ratio, 6)) \(column(limit, 6)) \(column(grdb / raw, 6))  \(isWithin ? "ok" : "MISSED")"
  }

  private func column(_ value: Double, _ width: Int) -> String {
    let text = Self.hundredths(value)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func milliseconds(_ seconds: Double) -> String { hundredths(seconds * 1000) }

  private static func hundredths(_ value: Double) -> String {
    let cents = Int((value * 100).rounded())
    return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
