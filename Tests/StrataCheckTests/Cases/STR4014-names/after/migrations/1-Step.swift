import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    let first: `static`? = nil
    let second: step? = nil
    try step.each(V0.step.self, V1.step.self) { (old: V0.step, new) throws -> Void in
      new.text = "\(old.number) \(first == nil) \(second == nil)"
    }
    try step.each(V0.step.self, V1.step.self) { old, new in
      for number in [old.number] { new.text = "\(number)" }
    }
    print(new.self, `extension`.self)
  }
  static let inBrackets = Step(to: 1) { step in
    try step.each(V0.step.self, V1.step.self) { old, new in
      let list: [old] = []
      let set: Set<old>? = nil
      let pairs: [(V0.step, [new])] = []
      let block: (old) throws -> [String: new]? = { _ in nil }
      print([old], list as? [old] ?? [], old.number < new.number, set, pairs, block)
    }
  }
  static func count(_ value: Int) -> Int {
    let known: [old] = []
    return known.count + value
  }
}
