import Strata
import StrataExpression

/// One way from a version to a later one.
struct ProofPath: Hashable {
  /// The version of the file, and those at which it is closed and opened again; the last one is the target.
  var from: Int
  var stops: [Int]
  var switches = EngineSwitches()
  var isFusing = true
  var isSetBased = true
  /// Whether a process of its own goes it: with another time zone, language and folder, and with nothing left over from before.
  var isElsewhere = false
  /// What is special about it, for people.
  var remark: String?

  /// Whether it is step by step once more.
  var isRepetition: Bool { self.remark?.hasPrefix("run again") ?? false }

  var target: Int { stops.last ?? from }

  /// `0 → 3 → 5, objects backwards`.
  var label: String {
    ([from] + stops).map(String.init).joined(separator: " → ") + (remark.map { ", \($0)" } ?? "")
  }

  /// The same way, but only so far.
  func cut(at version: Int) -> ProofPath {
    var path = self
    path.stops = stops.filter { $0 < version } + [version]
    return path
  }

  /// Step by step, with the file opened anew between: what all others are held against.
  static func stepwise(_ versions: [Int]) -> ProofPath {
    ProofPath(from: versions[0], stops: Array(versions.dropFirst()))
  }

  /// All others. The one that only repeats comes first, so that chance is not taken for something else.
  static func others(_ versions: [Int]) -> [ProofPath] {
    guard let from = versions.first, let target = versions.last, versions.count > 1 else {
      return []
    }
    var repeated = stepwise(versions)
    repeated.remark = "run again"
    let straight = ProofPath(from: from, stops: [target])
    var paths = [repeated]
    if versions.count > 2 {
      paths.append(straight)
      // With two steps the only split is step by step.
      if versions.count > 3 {
        for split in versions.dropFirst().dropLast() {
          paths.append(ProofPath(from: from, stops: [split, target]))
        }
      }
      var apart = straight
      apart.isFusing = false
      apart.remark = "one pass a step"
      var pairs = straight
      pairs.switches.versionsInOnePass = 2
      pairs.remark = "two steps a pass"
      paths += [apart, pairs]
    }
    var workspaces = straight
    workspaces.switches.usesWorkspaces = true
    workspaces.remark = "every step beyond single objects"
    var single = straight
    single.switches.rowsAtOnce = 1
    single.remark = "one row at a time"
    var rows = straight
    rows.isSetBased = false
    rows.switches.fewestObjectsForThread = 0
    rows.remark = "object by object"
    var backwards = straight
    backwards.switches.isBackwards = true
    backwards.remark = "objects backwards"
    var elsewhere = stepwise(versions)
    elsewhere.isElsewhere = true
    elsewhere.remark = "in another process"
    return paths + [rows, workspaces, single, backwards, elsewhere]
  }

  /// Those that many objects tell something about.
  static func ofCrowds(_ paths: [ProofPath]) -> [ProofPath] {
    paths.filter { path in
      path.remark == "run again" || path.isElsewhere || path.switches.isBackwards
        || path.remark == nil && path.stops.count == 1
    }
  }
}
