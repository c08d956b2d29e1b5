import Strata
import StrataSchema

/// What a worker tells the command that has started it, a line of JSON each.
enum WorkerMessage {
  /// How far the file in hand is.
  case progress(UpgradeProgress)
  /// Which version it is at.
  case version(Int)
  case outcome(FileOutcome)

  var json: JSON {
    switch self {
    case .progress(let progress): .object(["progress": progress.json])
    case .version(let version): .object(["version": .int(Int64(version))])
    case .outcome(let outcome): .object(["outcome": outcome.messageJSON])
    }
  }

  init?(json: JSON) {
    if let outcome = json["outcome"].flatMap(FileOutcome.init(json:)) {
      self = .outcome(outcome)
    } else if let progress = json["progress"].flatMap(UpgradeProgress.init(json:)) {
      self = .progress(progress)
    } else if let version = json["version"]?.int {
      self = .version(Int(version))
    } else {
      return nil
    }
  }
}

extension UpgradeProgress {
  fileprivate var json: JSON {
    .object([
      "phase": .string(phase.rawValue), "pass": .int(Int64(pass)),
      "passCount": .int(Int64(passCount)), "step": .int(Int64(step)),
      "stepCount": .int(Int64(stepCount)), "model": .string(model),
      "objectsDone": .int(Int64(objectsDone)), "objectsTotal": .int(Int64(objectsTotal)),
      "bytesWritten": .int(Int64(bytesWritten)),
      "permille": .int(Int64(fraction * 1000)),
      "milliseconds": .int(Int64(elapsed.seconds * 1000)),
    ])
  }

  fileprivate init?(json: JSON) {
    guard let phase = json["phase"]?.string.flatMap(Phase.init(rawValue:)) else { return nil }
    func number(_ key: String) -> Int { Int(json[key]?.int ?? 0) }
    self.init(
      phase: phase, pass: number("pass"), passCount: number("passCount"),
      model: json["model"]?.string ?? "", objectsDone: number("objectsDone"),
      objectsTotal: number("objectsTotal"))
    step = number("step")
    stepCount = number("stepCount")
    bytesWritten = number("bytesWritten")
    fraction = Double(number("permille")) / 1000
    elapsed = .milliseconds(number("milliseconds"))
  }
}
