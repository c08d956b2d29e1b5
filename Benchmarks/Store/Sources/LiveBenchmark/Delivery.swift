import BenchmarkModels
import Strata

/// Observers of many mails, of which one is changed.
final class Delivery {
  static let runs = 41

  struct View: Sendable {
    let name: String
    let make: @Sendable (Store) throws -> Results<Mail>
  }

  static let views = [
    View(name: "unsorted") { $0.objects(Mail.self) },
    View(name: "sorted by the changed property") { $0.objects(Mail.self).sorted(by: \.size) },
    View(name: "sorted by an indexed, changed property") {
      $0.objects(Mail.self).sorted(by: \.received)
    },
    View(name: "filtered on the changed property") { $0.objects(Mail.self).where { $0.size >= 0 } },
    View(name: "filtered on it and sorted by another") {
      $0.objects(Mail.self).where { $0.size >= 0 }.sorted(by: \.subject)
    },
  ]

  private let store: Store
  private let path: String
  private let count: Int

  init(path: String, count: Int) {
    self.path = path
    self.count = count
    do {
      store = try Store(path: path, schema: BenchSchema.self)
      try store.write {
        for number in 0..<count {
          try store.add(
            Mail(
              subject: "mail \(number * 7919 % count)", size: number * 31 % 1000, received: number))
        }
      }
    } catch {
      fatalError("\(error)")
    }
  }

  func close() { store.close() }

  /// From the call of `commitWrite` to the last observer's call.
  func milliseconds(observers: Int, of view: (Store) throws -> Results<Mail>) throws -> Double {
    let clock = ContinuousClock()
    var calls = 0
    var last = clock.now
    var tokens: [NotificationToken] = []
    for _ in 0..<observers {
      tokens.append(
        try view(store).observe { _ in
          calls += 1
          last = clock.now
        })
    }
    let mails = store.objects(Mail.self)
    var times: [Double] = []
    for run in 0..<Self.runs {
      calls = 0
      let mail = mails[(run * 2417 + 11) % count]
      try store.beginWrite()
      mail.size = (mail.size + 499) % 1000
      mail.received += 5
      let start = clock.now
      try store.commitWrite()
      precondition(calls == observers, "\(calls) of \(observers) observers were called")
      times.append((last - start).milliseconds)
    }
    for token in tokens { token.invalidate() }
    return times.median
  }

  /// Another store of the file writes, and this one moves on.
  func ofOthers() throws -> Double {
    let clock = ContinuousClock()
    var last = clock.now
    let token = try store.objects(Mail.self).sorted(by: \.size).observe { _ in last = clock.now }
    var times: [Double] = []
    for run in 0..<Self.runs {
      try writeElsewhere(run)
      let start = clock.now
      try store.refresh()
      times.append((last - start).milliseconds)
    }
    token.invalidate()
    return times.median
  }

  private func writeElsewhere(_ run: Int) throws {
    let other = try Store(path: path, schema: BenchSchema.self)
    let mail = other.objects(Mail.self)[(run * 2417 + 12) % count]
    try other.write { mail.size = (mail.size + 499) % 1000 }
    other.close()
  }

  /// What observers of mails add to a commit that touches none.
  func ofUnrelatedChange() throws -> Double {
    let without = try commitOfNote()
    var tokens: [NotificationToken] = []
    for view in Self.views {
      tokens.append(
        try view.make(store).observe { change in
          if case .update = change { fatalError("no mail has changed") }
        })
    }
    let with = try commitOfNote()
    for token in tokens { token.invalidate() }
    return max(0, with - without)
  }

  private func commitOfNote() throws -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for run in 0..<(Self.runs * 5) {
      try store.beginWrite()
      try store.add(Note(text: "note \(run)"))
      let start = clock.now
      try store.commitWrite()
      times.append((clock.now - start).milliseconds)
    }
    return times.median
  }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) * 1e-15
  }
}

extension [Double] {
  var median: Double { sorted()[count / 2] }
}
