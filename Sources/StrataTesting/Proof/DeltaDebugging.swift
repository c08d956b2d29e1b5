import Strata
import StrataSchema

/// Makes data smaller for as long as it still shows a failure (Zeller and Hildebrandt, *Simplifying and Isolating
/// Failure-Inducing Input*, 2002): first fewer objects, then simpler values.
struct DeltaDebugging {
  /// How often a failure is looked for at most.
  static let maximumRuns = 160
  /// And a refusal, of which every proof may have several.
  static let maximumRunsForRefusals = 40

  /// Objects that are upgraded for it at most.
  static let maximumWork = 40_000
  /// What a run costs without any object, in objects.
  private static let workOfRun = 30

  private var runs = 0
  private var work = 0
  private let shows: (ProofData) throws -> Bool

  private let maximumRuns: Int

  init(maximumRuns: Int = Self.maximumRuns, _ shows: @escaping (ProofData) throws -> Bool) {
    self.maximumRuns = maximumRuns
    self.shows = shows
  }

  private mutating func test(_ data: ProofData) throws -> Bool {
    guard runs < maximumRuns, work < Self.maximumWork else { return false }
    runs += 1
    work += data.objects.count + Self.workOfRun
    return try shows(data)
  }

  mutating func smallest(_ data: ProofData) throws -> ProofData {
    try together(try simplified(try fewest(data)))
  }

  /// As few objects as still show it.
  mutating func fewest(_ data: ProofData) throws -> ProofData {
    var data = data
    var parts = 2
    while data.objects.count > 1, runs < maximumRuns, work < Self.maximumWork {
      let size = max(1, (data.objects.count + parts - 1) / parts)
      var isSmaller = false
      for start in stride(from: 0, to: data.objects.count, by: size) {
        let removed = Set(data.identities[start..<min(start + size, data.objects.count)])
        let candidate = data.removing(removed)
        guard candidate.objects.count < data.objects.count, try test(candidate) else { continue }
        data = candidate
        isSmaller = true
        break
      }
      if isSmaller {
        parts = max(2, parts - 1)
      } else if size == 1 {
        break
      } else {
        parts = min(data.objects.count, parts * 2)
      }
    }
    return data
  }

  /// Values that say nothing, where they still show it.
  private mutating func simplified(_ data: ProofData) throws -> ProofData {
    var data = data
    for index in data.objects.indices {
      guard let model = data.schema.model(named: data.objects[index].model) else { continue }
      let unique = Set(model.uniqueKeys.flatMap { $0 })
      for property in model.storedProperties where !unique.contains(property.name) {
        var candidate = data
        if property.type.isCollection {
          guard data.objects[index].collections[property.name]?.isEmpty == false else { continue }
          candidate.objects[index].collections[property.name] = []
        } else {
          guard let value = data.objects[index].values[property.name], !value.isNull,
            let simple = Self.simple(value, property), simple != value
          else { continue }
          candidate.objects[index].values[property.name] = simple
        }
        // Embedded objects without an owner go with it.
        candidate = candidate.removing([])
        guard candidate.objects.count == data.objects.count, try test(candidate) else { continue }
        data = candidate
      }
    }
    return data
  }

  /// Values that have to be the same in several objects, made simple in all of them at once.
  private mutating func together(_ data: ProofData) throws -> ProofData {
    var data = data
    for model in data.schema.storedModels {
      let unique = Set(model.uniqueKeys.flatMap { $0 })
      for property in model.columnProperties where !unique.contains(property.name) {
        let objects = data.objects.indices.filter { data.objects[$0].model == model.name }
        let values = objects.compactMap { data.objects[$0].values[property.name] }
        guard values.count > 1, Set(values).count < values.count else { continue }
        var candidate = data
        for index in objects {
          guard let value = data.objects[index].values[property.name], !value.isNull else {
            continue
          }
          candidate.objects[index].values[property.name] = Self.simple(value, property) ?? value
        }
        candidate = candidate.removing([])
        guard candidate.objects != data.objects, candidate.objects.count == data.objects.count,
          try test(candidate)
        else { continue }
        data = candidate
      }
    }
    return data
  }

  private static func simple(_ value: Value, _ property: Property) -> Value? {
    if property.type.valueType?.isOptional == true { return .null }
    if case .enumeration? = property.type.valueType?.base { return nil }
    switch value {
    case .bool: return .bool(false)
    case .int: return .int(0)
    case .float: return .float(0)
    case .double: return .double(0)
    case .string: return .string("")
    case .data: return .data([])
    case .date: return .date(0)
    default: return nil
    }
  }
}
