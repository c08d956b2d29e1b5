import Strata
import StrataEvolution
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import StrataSource

/// Real files, asked what the next steps would meet in them.
struct SampleFolder {
  /// How many files of a folder are looked at.
  static let maximumFiles = 10_000

  let path: String
  /// What the files would be upgraded by; nil where nothing is frozen.
  var target: UpgradeTarget?

  /// The files that are databases of this schema; what is none is told and left out.
  func samples(for input: CheckInput) throws -> [Sample] {
    let names: [String]
    do {
      names = try POSIXFiles().contents(ofFolder: path)
    } catch {
      throw CommandFailure("the samples in \(path) cannot be listed: \(error.reason).")
    }
    let versions = input.versions
    return names.prefix(Self.maximumFiles).compactMap { name in
      // What SQLite keeps beside a database is no sample of its own.
      guard !name.hasPrefix("."), !name.hasSuffix("-wal"), !name.hasSuffix("-shm") else {
        return nil
      }
      let file = SourceFolder.path(of: name, in: path)
      do {
        return try sample(file, versions, of: input)
      } catch {
        Terminal.note("note: \(error)")
        return nil
      }
    }
  }

  private func sample(
    _ file: String, _ versions: [CheckedVersion], of input: CheckInput
  ) throws -> Sample {
    var questions = FileProbe.Questions()
    let probe = try FileInspector().probe(file) { stored in
      try Self.requireOurs(stored, file, input)
      for (older, newer) in zip(versions, versions.dropFirst()) where older.number == stored.version
      {
        questions = Self.questions(
          CheckedPair(older: older, newer: newer, isOpen: true), in: stored.schema)
      }
      return questions
    }
    var sample = Sample(file: file, version: probe.version, counts: probe.counts, nils: probe.nils)
    sample.nilElements = probe.nilElements
    sample.filled = probe.filled
    for (key, count) in zip(questions.duplicates, probe.duplicates) {
      sample.duplicates[Sample.Key(key.model, key.properties)] = count
    }
    let plan = plan(file, to: nil)
    sample.disk = plan.flatMap(disk)
    // Rules of the working version are asked about before it is frozen.
    if let forecast = (target?.working.flatMap { self.plan(file, to: $0.number) } ?? plan)?.forecast
    {
      for broken in forecast.broken {
        for rule in broken.rules {
          sample.broken[
            Sample.RuleKey(version: broken.version, at: SchemaPath(rule.model, rule.rule))] =
            rule.count
        }
      }
    }
    sample.size = try? POSIXFiles().size(of: file)
    for (value, count) in zip(questions.values, probe.values) { sample.values[value.path] = count }
    return sample
  }

  /// Refuses a file of another schema. A schema that was renamed has versions of several names.
  private static func requireOurs(
    _ stored: StoredSchema, _ file: String, _ input: CheckInput
  ) throws {
    let schemas = input.frozen.map(\.schema) + [input.working?.schema].compactMap { $0 }
    guard let name = (input.newest?.schema ?? schemas.last)?.name,
      !schemas.contains(where: { $0.name == stored.schemaName })
    else { return }
    throw MigrationError(
      .foreignFile, "\(file) holds the schema \(stored.schemaName), not \(name).")
  }

  private func plan(_ file: String, to version: Int?) -> UpgradePlan? {
    var options = Upgrade.Options()
    options.target = version
    return target.flatMap { try? UpgradePlan.make(path: file, target: $0, options: options) }
  }

  private func disk(_ plan: UpgradePlan) -> (needed: Int, free: Int)? {
    guard let free = try? POSIXFiles().freeSpace(at: path)
    else { return nil }
    return (plan.diskNeeded, free)
  }

  /// What the changes between two versions ask.
  private static func questions(_ pair: CheckedPair, in stored: Schema) -> FileProbe.Questions {
    var questions = FileProbe.Questions()
    for change in pair.changes {
      switch change.kind {
      case .madeRequired, .linkMadeRequired, .propertyRemoved, .relationshipRemoved,
        .propertyRenamedUndeclared, .typeChangedLossy, .typeChangedIncompatible:
        guard let old = change.oldPath else { continue }
        questions.nils.insert(old)
        switch change.kind {
        case .madeRequired: questions.nilElements.insert(old)
        case .linkMadeRequired: break
        default: questions.filled.insert(old)
        }
      case .primaryKeyAdded, .primaryKeyChanged, .uniqueAdded:
        if let old = change.oldPath, let names = SampleQuestion.names(of: change, in: pair) {
          questions.duplicates.append((old.model, names))
        }
      case .enumCaseRemoved, .enumRawValueChanged:
        guard let enumeration = stored.enumeration(named: change.path.model),
          let found = enumeration.cases.first(where: {
            $0.name == (change.oldPath ?? change.path).property
          })
        else { continue }
        questions.values.append((change.path, enumeration.name, found.rawValue))
      default: break
      }
    }
    return questions
  }
}
