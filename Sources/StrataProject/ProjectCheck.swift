package import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
package import StrataSource

/// Everything that `check` looks at, from texts to findings: declarations, the seal, the rules, steps and blocks.
///
/// A station that fails does not end the run: what can still be judged honestly is judged.
package struct ProjectCheck {
  /// What the project is compared with.
  package enum Against: Sendable {
    /// Another state of the same files, and the lock that both come from.
    case files(
      ProjectFiles, name: String, ancestorLock: SourceFile?, merged: [MergedLock] = [])
    /// A frozen version.
    case version(Int)
  }

  /// The lock of a side that was merged, and the one that it came from.
  package struct MergedLock: Sendable {
    fileprivate let lock: SourceFile
    fileprivate let ancestor: SourceFile

    package init(lock: SourceFile, ancestor: SourceFile) {
      self.lock = lock
      self.ancestor = ancestor
    }
  }

  private let files: ProjectFiles
  private let cache: ProjectCache?
  private var diagnostics = Diagnostics()
  private var input: CheckInput?

  private init(_ files: ProjectFiles, _ cache: ProjectCache?) {
    self.files = files
    self.cache = cache
  }

  /// - Parameter cache: has what did not change since the last run; the findings are the same without one.
  package static func run(
    _ files: ProjectFiles, against: Against? = nil, cache: ProjectCache? = nil,
    samples: ((CheckInput) -> [Sample])? = nil
  ) -> Diagnostics {
    examine(files, against: against, cache: cache, samples: samples).findings
  }

  /// As `run`, with what was judged; nil where the history cannot be read.
  package static func examine(
    _ files: ProjectFiles, against: Against? = nil, cache: ProjectCache? = nil,
    samples: ((CheckInput) -> [Sample])? = nil
  ) -> (findings: Diagnostics, input: CheckInput?) {
    cache?.beginRun(files)
    var check = ProjectCheck(files, cache)
    check.run(against: against, samples: samples)
    return (check.diagnostics, check.input)
  }

  private mutating func run(against: Against?, samples: ((CheckInput) -> [Sample])?) {
    for file in files.swift { diagnostics.add(file) }
    if let settings = files.settings.source { diagnostics.add(settings) }
    let working =
      files.schemas.isEmpty
      ? nil
      : SchemaCompiler.compile(
        files.schemas, cache: cache?.compilations, reporting: &diagnostics)
    cache?.working = working
    let steps = readSteps()
    for target in files.targets {
      target.check(manifest: files.manifest, reporting: &diagnostics)
    }
    guard let reading = readHistory(steps.map(\.sourceMap.file)) else { return }
    cache?.history = reading
    if let working { checkName(working, reading.history) }
    var input = makeInput(reading, working, steps, isCompared: against != nil)
    input.baseline = against.flatMap { baseline($0, input) }
    if let samples { input.samples = samples(input) }
    self.input = input
    Checker.check(input, cache: against == nil ? cache?.checks : nil, reporting: &diagnostics)
  }

  /// The steps that can be read; what is wrong with others is reported.
  private mutating func readSteps() -> [StepCompilation] {
    files.steps.compactMap { file in
      if let cache { return cache.compilations.step(file, reporting: &diagnostics) }
      return StepReader.read(file, reporting: &diagnostics)
    }
  }

  /// The frozen versions. A broken seal is reported, and what it should hold together is read all the same.
  private mutating func readHistory(_ steps: [SourceFile]) -> HistoryReading? {
    if let reading = HistoryReader.read(
      versions: files.versions, lock: files.lock, steps: steps,
      cache: cache?.compilations, reporting: &diagnostics)
    {
      return reading
    }
    var ignored = Diagnostics()
    return HistoryReader.read(
      versions: files.versions, lock: files.lock, steps: steps, checksSeal: false,
      cache: cache?.compilations, reporting: &ignored)
      ?? HistoryReader.read(
        versions: files.versions, lock: nil, steps: steps, checksSeal: false, needsLock: false,
        cache: cache?.compilations, reporting: &ignored)
  }

  /// A schema of another name is another schema: nothing of it continues anything.
  private mutating func checkName(_ working: Compilation, _ history: History) {
    guard let newest = history.newest, working.schema.name != newest.schema.name else { return }
    diagnostics.report(
      HistoryDiagnostic.schemaNameChanged,
      "the declarations are of '\(working.schema.name)', the frozen versions of '\(newest.schema.name)'",
      at: working.sourceMap.name,
      help: "a schema keeps its name: write 'schema: \(newest.schema.name)'"
    )
  }

  private mutating func makeInput(
    _ reading: HistoryReading, _ working: Compilation?, _ steps: [StepCompilation],
    isCompared: Bool
  ) -> CheckInput {
    // Only a comparison looks at the order, and finding it for all models takes a tenth of a check.
    let order = isCompared ? working?.declarationOrder : nil
    let blocks = SwiftFiles(files.swift).byVersion
    let stepsByVersion = Dictionary(
      steps.map { ($0.step.to, CheckedStep($0.step, StepPlaces($0.sourceMap))) },
      uniquingKeysWith: { first, _ in first })
    let unreadable = Set(files.steps.compactMap { StepReader.number(of: $0) })
      .subtracting(stepsByVersion.keys)
    // Of a lock that cannot be read, enough is said: everything else is judged as if it fitted.
    let lock = reading.lock?.lock ?? files.impliedLock(dated: "")
    let frozen = reading.history.versions.map { version in
      CheckedVersion(
        schema: version.schema,
        places: reading.sourceMaps[version.number].map { SchemaPlaces($0) } ?? SchemaPlaces(),
        step: stepsByVersion[version.number], blocks: blocks[version.number] ?? [],
        line: lock.line(ofVersion: version.number),
        hasUnreadableStep: unreadable.contains(version.number))
    }
    var checked: CheckedVersion?
    if let working {
      let number = working.schema.version
      let isNew = frozen.last.map { number > $0.number } ?? true
      checked = CheckedVersion(
        schema: working.schema,
        places: SchemaPlaces(working.sourceMap, order: order),
        step: isNew ? stepsByVersion[number] ?? emptyStep(number) : nil,
        blocks: isNew ? blocks[number] ?? [] : [],
        hasUnreadableStep: isNew && unreadable.contains(number))
    }
    var input = CheckInput(frozen: frozen, working: checked)
    let known = Set(input.frozen.map(\.number)).union(checked.map { [$0.number] } ?? [])
    // Which version declarations lead to is not known while there are mistakes in them: it may be that of a step.
    let last = input.frozen.last?.number ?? -1
    let isUnknown = checked == nil && !files.schemas.isEmpty
    func isStray(_ number: Int) -> Bool {
      !known.contains(number) && !(isUnknown && number > last)
    }
    input.strayFiles =
      steps.filter { isStray($0.step.to) }.map(\.sourceMap.file)
      + blocks.filter { isStray($0.key) }.sorted { $0.key < $1.key }.flatMap(\.value)
    input.lockSpans = reading.lock?.spans ?? [:]
    input.algorithm = files.lock.flatMap { file in
      LockReader.algorithm(of: file).map { ($0, file.span(file.rangeOfLine(1))) }
    }
    input.hasDeclarations = !files.schemas.isEmpty
    input.swiftFiles = files.swift
    for (name, severity) in files.settings.rules {
      input.severities[name] = .some(severity.severity)
    }
    input.severitySpans = files.settings.ruleSpans
    input.supports = files.settings.supports
    input.supportsSpan = files.settings.supportsSpan
    input.limits = files.settings.limits.ofUpgrades
    input.hasPublicClasses = files.settings.generation.access == .public
    return input
  }

  /// The step file that is not there yet, for fix-its to write into. One that is there and cannot be read has no twin.
  private mutating func emptyStep(_ number: Int) -> CheckedStep? {
    guard !files.steps.contains(where: { StepReader.number(of: $0) == number }) else { return nil }
    let file = SourceFile(path: files.stepPath(to: number), bytes: [])
    diagnostics.add(file)
    return CheckedStep(MigrationStep(to: number), StepPlaces(new: file, to: number))
  }

  // MARK: The baseline

  private func baseline(_ against: Against, _ input: CheckInput) -> Baseline? {
    var ignored = Diagnostics()
    switch against {
    case .version(let number):
      let frozen = input.frozen.filter { $0.number <= number }
      return Baseline(
        name: "v\(number)", lock: VersionLock(lines: frozen.compactMap(\.line)),
        working: frozen.last?.schema)
    case .files(let files, let name, let ancestor, let merged):
      func read(_ lock: SourceFile) -> VersionLock? {
        LockReader.read(lock, reporting: &ignored)?.lock
      }
      let lock = files.lock.flatMap(read)
      let compilation = SchemaCompiler.compile(files.schemas, reporting: &ignored)
      let known = Dictionary(
        input.frozen.map { ($0.number, $0.schema) }, uniquingKeysWith: { first, _ in first })
      let texts = Dictionary(
        self.files.versions.compactMap { file in
          StepReader.number(of: file).map { ($0, file.bytes) }
        }, uniquingKeysWith: { first, _ in first })
      var baseline = Baseline(
        name: name, lock: lock ?? files.impliedLock(dated: ""), ancestor: ancestor.flatMap(read),
        working: compilation?.schema, order: compilation?.declarationOrder,
        algorithm: files.lock.flatMap { LockReader.algorithm(of: $0) },
        schema: { number in
          // What is the same text there has been read here.
          let text = files.versions.first { StepReader.number(of: $0) == number }?.bytes
          return texts[number] == text ? known[number] : files.schema(ofVersion: number)
        })
      baseline.merged = merged.compactMap { side in
        read(side.lock).flatMap { lock in read(side.ancestor).map { (lock, $0) } }
      }
      return baseline
    }
  }
}

extension Settings.Limits {
  fileprivate var ofUpgrades: UpgradeLimits {
    var limits = UpgradeLimits()
    if let blockObjects { limits.blockObjects = blockObjects }
    if let disk { limits.disk = { disk.bytes(ofFile: $0) } }
    return limits
  }
}

extension Settings.RuleSeverity {
  /// Nil for a rule that is switched off.
  fileprivate var severity: Severity? {
    switch self {
    case .off: nil
    case .info: .info
    case .warning: .warning
    case .error: .error
    }
  }
}
