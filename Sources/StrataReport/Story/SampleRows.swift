package import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema

/// How many objects of a real file a step touches, model by model.
package struct SampleRows: Sendable {
  package struct Row: Sendable {
    /// The model's name in the version before the step.
    package let model: String
    package let objects: Int
    /// What the step does with them.
    package let what: String
  }

  package let file: String
  package let version: Int
  package let rows: [Row]

  /// - Parameters:
  ///   - sample: a file of the version before the step, or of an earlier one of `versions`.
  ///   - step: the version that the step leads to.
  package init(_ sample: Sample, before step: ReportedVersion, in versions: [ReportedVersion]) {
    file = sample.file
    version = sample.version
    guard let older = step.older else {
      rows = []
      return
    }
    let between = versions.filter {
      $0.number > sample.version && $0.number <= older.number
    }
    rows = older.schema.storedModels.compactMap { model in
      guard let what = Self.work(on: model.name, step) else { return nil }
      // The name that the model has in the file's own version.
      var name = model.name
      for version in between.reversed() {
        name = version.step?.renames.models.first { $0.value == name }?.key ?? name
      }
      return sample.counts[name].map { Row(model: model.name, objects: $0, what: what) }
    }
  }

  private static func work(on old: String, _ version: ReportedVersion) -> String? {
    let step = version.step
    let new = step?.renames.models[old] ?? old
    var work: [String] = []
    if version.schema.model(named: new) == nil { work.append("removed") }
    if step?.delete[old] != nil { work.append("some deleted") }
    if step?.deduplicate[old] != nil { work.append("equal ones made one") }
    if step?.swiftModels.contains(new) == true || step?.swiftModels.contains(old) == true {
      work.append("run through a Swift block")
    }
    if let set = step?.set[new], !set.isEmpty {
      work.append("\(set.keys.sorted().joined(separator: ", ")) computed")
    }
    if new != old { work.append("renamed to \(new)") }
    let changed = version.changes.filter {
      $0.change.path.model == new || $0.change.oldPath?.model == old
    }
    if work.isEmpty, !changed.isEmpty { work.append("carried over to the new form") }
    return work.isEmpty ? nil : work.joined(separator: "; ")
  }
}
