import StrataSchema

/// What the last runs found out about models that are without findings, so that a later run judges only those that have changed.
///
/// What such a model is depends on its own declaration and on what it can see of all others, its surroundings: their names,
/// which are abstract or embedded, the values of enums and the schema's name. One that extends another model or mirrors its
/// links depends on that model's properties, too, and is judged anew each time.
final class ResolvedModels {
  /// A model as the resolver left it. Indexes in it are those of the run that found it, which the same surroundings number alike.
  struct Verdict {
    var properties: [Property?]
    var links: [OwnLink]
    var line: ResolvedModel
    var model: Model
  }

  /// Which declaration of which reading of a file a model is.
  struct Origin {
    var file: FileDeclarations.Identity
    var position: Int
  }

  private struct Run {
    var surroundings: [UInt8]
    var models: [(origin: Origin, verdict: Verdict)?]
  }

  /// How many surroundings are kept: a text that is being written is complete and incomplete in turn.
  private static let maximumRuns = 2

  /// The newest last.
  private var runs: [Run] = []
  /// How many models the last run judged anew.
  private(set) var judgedCount = 0

  /// What is known of each model, by its index; nil where it has to be judged.
  func verdicts(in surroundings: [UInt8], of origins: [Origin]) -> [Verdict?] {
    guard let place = runs.lastIndex(where: { $0.surroundings == surroundings }) else {
      judgedCount = origins.count
      return Array(repeating: nil, count: origins.count)
    }
    let run = runs.remove(at: place)
    runs.append(run)
    let found = zip(run.models, origins).map { known, origin -> Verdict? in
      guard let known, known.origin.file === origin.file,
        known.origin.position == origin.position
      else { return nil }
      return known.verdict
    }
    judgedCount = found.count { $0 == nil }
    return found
  }

  /// Takes what a run found out; nil for each model with findings.
  func keep(_ verdicts: [Verdict?], of origins: [Origin], in surroundings: [UInt8]) {
    runs.removeAll { $0.surroundings == surroundings }
    if runs.count >= Self.maximumRuns { runs.removeFirst() }
    runs.append(
      Run(
        surroundings: surroundings,
        models: zip(origins, verdicts).map { origin, verdict in verdict.map { (origin, $0) } }))
  }
}

extension Resolver {
  /// Everything that a model which neither extends nor mirrors another one can see of the schema, in bytes: strings that are
  /// equal to Swift may differ in normalisation.
  var surroundings: [UInt8] {
    var bytes: [UInt8] = [isComplete ? 1 : 0]
    // No text in UTF-8 has this byte.
    func add(_ text: String) {
      bytes.append(contentsOf: text.utf8)
      bytes.append(0xFF)
    }
    add(headers.first?.name?.value ?? "")
    for (index, model) in models.enumerated() {
      add(model.name.value)
      bytes.append(
        (modelIndexes[model.name.value] == index ? 1 : 0) | (embeddedFlags[index] ? 2 : 0)
          | (model.isAbstract?.value == true ? 4 : 0))
    }
    // A byte that stands at the place of no model's name.
    bytes.append(0xFE)
    for (index, declared) in enums.enumerated() {
      add(declared.name.value)
      bytes.append(enumIndexes[declared.name.value] == index ? 1 : 0)
      guard let resolved = resolvedEnums[index] else {
        bytes.append(0xFD)
        continue
      }
      add(resolved.rawType.rawValue)
      for each in resolved.cases {
        add(each.name)
        // An enum's raw values are texts or integers, all of one kind.
        if case .string(let text) = each.rawValue { add(text) } else { add("\(each.rawValue)") }
      }
      bytes.append(0xFE)
    }
    return bytes
  }
}
