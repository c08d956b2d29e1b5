import Strata
import StrataFiles
import StrataSQLite
import StrataSchema

/// The upgrade of one file, as a value that can be handed to another process.
struct FileMigration: Hashable {
  let file: String
  var version: Int?
  var output: String?
  var backup: String?
  var isDryRun = false
  /// Whether an earlier run may have finished the output without having noted it.
  var goesOn = false
  /// Seconds to wait for another process that writes the file.
  var wait: Int
  /// Whether the folders of output and backup are made before.
  var makesFolders = false
  /// Other names of the file, hard links in other folders.
  var otherNames: [String] = []
  /// Whether a processor is left for a second thread.
  var usesSecondThread = true

  /// Runs it. What goes wrong is part of the outcome.
  ///
  /// - Parameters:
  ///   - leftovers: what a run over many files knows of their folders.
  ///   - recognised: told the number of the file's version when it is read.
  func run(
    _ target: UpgradeTarget, leftovers: Leftovers? = nil,
    recognised: @escaping (Int) -> Void = { _ in },
    progress: @escaping (UpgradeProgress) -> UpgradeControl
  ) -> FileOutcome {
    let clock = ContinuousClock()
    let start = clock.now
    let before = MigrationJournal.Stamp(of: file)
    var options = Upgrade.Options()
    options.target = version
    options.output = output
    options.takesFinishedOutput = goesOn
    options.makesFolders = makesFolders
    options.backup = backup
    options.otherNames = otherNames
    options.usesSecondThread = usesSecondThread
    options.busyTimeout = wait * 1000
    options.progress = progress
    options.leftovers = leftovers
    var from: Int?
    options.recognised = { version in
      from = version
      recognised(version)
    }
    do {
      if isDryRun {
        let plan = try Upgrade(path: file, target: target, options: options).rehearse()
        return FileOutcome(plan: plan, output: output, backup: backup)
      }
      let report = try Upgrade(path: file, target: target, options: options).run()
      let seconds = (clock.now - start).seconds
      var outcome = FileOutcome(
        file: file, report: report, objects: report.objects ?? objectCount(), seconds: seconds,
        backup: report.isUpgrade ? backup : nil)
      outcome.output = output
      outcome.needsNoBackup = backup != nil && !report.isUpgrade
      let after = MigrationJournal.Stamp(of: file, withLog: true)
      // Another file that came into the place is not the one that was worked on.
      if after?.inode == before?.inode { outcome.stamp = after }
      return outcome
    } catch {
      let error = MigrationError(unexpected: error, path: file)
      var outcome = FileOutcome(file: file, failed: error.code, error.description)
      outcome.from = from
      outcome.setSeconds((clock.now - start).seconds)
      outcome.processes = error.processes.map {
        FileOutcome.Process(identifier: Int64($0.identifier), name: $0.name)
      }
      return outcome
    }
  }

  /// Objects of a file that was upgraded without looking at them, for the report: the upgrade is done whatever comes of it.
  private func objectCount() -> Int {
    let inspection = try? FileInspector().inspect(file, target: nil)
    return inspection?.counts.values.reduce(0, +) ?? 0
  }

  var json: JSON {
    .object([
      "file": .string(file), "to": version.map { .int(Int64($0)) } ?? .null,
      "output": output.map(JSON.string) ?? .null, "backup": backup.map(JSON.string) ?? .null,
      "dryRun": .bool(isDryRun), "goesOn": .bool(goesOn), "wait": .int(Int64(wait)),
      "makesFolders": .bool(makesFolders),
      "otherNames": .array(otherNames.map(JSON.string)),
    ])
  }

  init(
    file: String, version: Int?, output: String?, backup: String?, isDryRun: Bool,
    goesOn: Bool = false, wait: Int, makesFolders: Bool = false
  ) {
    self.file = file
    self.version = version
    self.output = output
    self.backup = backup
    self.isDryRun = isDryRun
    self.goesOn = goesOn
    self.wait = wait
    self.makesFolders = makesFolders
  }

  /// Reads what `json` wrote.
  init?(json: JSON) {
    guard let file = json["file"]?.string, let wait = json["wait"]?.int else { return nil }
    self.init(
      file: file, version: json["to"]?.int.map { Int($0) }, output: json["output"]?.string,
      backup: json["backup"]?.string, isDryRun: json["dryRun"]?.bool ?? false,
      goesOn: json["goesOn"]?.bool ?? false, wait: Int(wait),
      makesFolders: json["makesFolders"]?.bool ?? false)
    otherNames = (json["otherNames"]?.array ?? []).compactMap(\.string)
  }
}

/// What became of one file.
struct FileOutcome: Hashable {
  enum Status: String {
    case upgraded
    case current
    case failed
    /// Finished by an earlier run.
    case skipped
    /// A dry run has found that it would be upgraded.
    case planned
    /// Not begun, because another file failed or the user stopped the run.
    case notReached

    /// For people.
    var words: String { self == .notReached ? "not reached" : rawValue }

    /// As `strata.migrate/1` has it: whatever a run did nothing to, though it was to be upgraded, is skipped, for one of three reasons.
    var inJSON: (status: String, reason: String?) {
      switch self {
      case .skipped: (rawValue, "finished")
      case .planned, .notReached: (Self.skipped.rawValue, rawValue)
      case .upgraded, .current, .failed: (rawValue, nil)
      }
    }
  }

  struct Process: Hashable {
    let identifier: Int64
    let name: String
  }

  let file: String
  let status: Status
  var from: Int?
  var to: Int?
  var seconds = 0.0
  var objects = 0
  var backup: String?
  /// Where the upgraded file was written instead of into the old one, or a file that was current was copied to.
  var output: String?
  /// Whether a backup was asked for of a file that was current.
  var needsNoBackup = false
  /// What other programs had in the file and the upgraded one has not.
  var otherTables: [String] = []
  /// Why it failed.
  var code: String?
  var message: String?
  /// Which other processes have the file open, where that is why it failed.
  var processes: [Process] = []
  /// What a dry run would do, for programs.
  var plan: JSON?
  /// The same for people.
  var planText: String?
  /// What the file was when the work on it was done, for the journal; nil where another one has come into its place.
  var stamp: MigrationJournal.Stamp?

  init(file: String, _ status: Status) {
    self.file = file
    self.status = status
  }

  init(file: String, failed code: String, _ message: String) {
    self.init(file: file, .failed)
    self.code = code
    self.message = message
  }

  /// - Parameter objects: how many the upgraded file has.
  init(file: String, report: UpgradeReport, objects: Int, seconds: Double, backup: String?) {
    self.init(file: file, report.isUpgrade ? .upgraded : .current)
    from = report.from
    to = report.to
    self.objects = objects
    setSeconds(seconds)
    self.backup = backup
    otherTables = report.leftOut
  }

  /// - Parameters:
  ///   - output: where the run writes the file, if not into the old one.
  ///   - backup: where it keeps the old one, if it does.
  init(plan: UpgradePlan, output: String?, backup: String?) {
    let refusal = plan.refusal
    self.init(
      file: plan.file, refusal != nil ? .failed : plan.isCurrent ? .current : .planned)
    (code, message) = (refusal?.code, refusal?.description)
    from = plan.from
    to = refusal == nil ? plan.to : nil
    self.output = refusal == nil ? output : nil
    self.backup = plan.isCurrent || refusal != nil ? nil : backup
    needsNoBackup = backup != nil && plan.isCurrent
    self.plan = plan.json
    planText = plan.text
  }

  /// Keeps microseconds: what is below them says nothing.
  mutating func setSeconds(_ seconds: Double) { self.seconds = (seconds * 1e6).rounded() / 1e6 }

  var isFailure: Bool { status == .failed }

  /// Without what may have any number of names of any length.
  var withoutNames: FileOutcome {
    var outcome = self
    outcome.otherTables = []
    return outcome
  }

  var isCancelled: Bool {
    code == MigrationError(.cancelled, "").code
  }
}

// MARK: - JSON

extension FileOutcome {
  /// As `strata.migrate/1` has it.
  var json: JSON {
    var members: [String: JSON] = [
      "file": .string(file), "from": number(from), "to": number(to), "seconds": .double(seconds),
      "objects": number(objects), "backup": backup.map(JSON.string) ?? .null,
      "output": output.map(JSON.string) ?? .null,
      "status": .string(status.inJSON.status),
      "reason": status.inJSON.reason.map(JSON.string) ?? .null, "error": .null,
    ]
    if let code, let message {
      members["error"] = .object(["code": .string(code), "message": .string(message)])
    }
    if !processes.isEmpty {
      members["processes"] = .array(
        processes.map { .object(["id": .int($0.identifier), "name": .string($0.name)]) })
    }
    if !otherTables.isEmpty {
      members["otherTables"] = .array(otherTables.map(JSON.string))
    }
    if let plan { members["plan"] = plan }
    return .object(members)
  }

  /// As one process tells another.
  var messageJSON: JSON {
    guard case .object(var members) = json else { return json }
    if let planText { members["planText"] = .string(planText) }
    if needsNoBackup { members["needsNoBackup"] = .bool(true) }
    if let stamp { members["stamp"] = stamp.json }
    return .object(members)
  }

  /// Reads what `messageJSON` wrote.
  init?(json: JSON) {
    guard let file = json["file"]?.string,
      let status =
        json["reason"]?.string.flatMap(Status.init(rawValue:))
        ?? json["status"]?.string.flatMap(Status.init(rawValue:))
    else { return nil }
    self.init(file: file, status)
    from = json["from"]?.int.map { Int($0) }
    to = json["to"]?.int.map { Int($0) }
    objects = Int(json["objects"]?.int ?? 0)
    if case .double(let value)? = json["seconds"] { seconds = value }
    backup = json["backup"]?.string
    output = json["output"]?.string
    code = json["error"]?["code"]?.string
    message = json["error"]?["message"]?.string
    processes = (json["processes"]?.array ?? []).compactMap {
      guard let identifier = $0["id"]?.int, let name = $0["name"]?.string else { return nil }
      return Process(identifier: identifier, name: name)
    }
    otherTables = (json["otherTables"]?.array ?? []).compactMap(\.string)
    plan = json["plan"]
    planText = json["planText"]?.string
    needsNoBackup = json["needsNoBackup"]?.bool ?? false
    stamp = MigrationJournal.Stamp(json: json["stamp"])
  }

  private func number(_ value: Int?) -> JSON { value.map { .int(Int64($0)) } ?? .null }
}
