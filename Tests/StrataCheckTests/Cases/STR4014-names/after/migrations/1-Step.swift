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
  static func count(_ value: Int) -> Int {
    let known: [old] = []
    return known.count + value
  }
}
