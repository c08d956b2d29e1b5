import Shared
import Strata

extension PeopleMigrations {
  static let toVersion1 = Step(to: 1) { step in
    try step.each(V0.Helper.self, V1.Helper.self) { old, new in
      fill(new, "nowhere")
    }
    try step.each(V0.Method.self, V1.Method.self) { old, new in
      new.fill(from: old)
    }
    try step.each(V0.Tuple.self, V1.Tuple.self) { old, new in
      (new.name, new.inTuple) = (old.name, "nowhere")
    }
    try step.each(V0.KeyPath.self, V1.KeyPath.self) { old, new in
      new[keyPath: \.inKeyPath] = "nowhere"
    }
    try step.each(V0.Loop.self, V1.Loop.self) { old, new in
      while true {
        if old.name.isEmpty { continue }
        new.inLoop = old.name
        break
      }
    }
    try step.each(V0.Inout.self, V1.Inout.self) { old, new in
      fill(&new.inInout)
    }
    try step.each(V0.Condition.self, V1.Condition.self) { old, new in
      guard fill(new) else { return }
    }
  }
}
