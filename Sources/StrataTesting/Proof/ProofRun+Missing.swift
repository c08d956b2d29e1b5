import StrataHistory
import StrataSchema

/// What a proof does not look at because no object of it was made. A proof with no object of a model says nothing about its steps, and
/// ends as well as one with many.
extension ProofRun {
  /// Notes the models of which the first file of a version has no object.
  func noteMissing(from data: ProofData, of version: FrozenVersion) {
    for model in Self.missing(from: data, version) { note(Self.sentence(on: model, version)) }
  }

  /// Notes those of which there is none among many at once, though the first file has some.
  ///
  /// - Parameter objects: how many there were to be of all models.
  func noteMissing(fromCrowd data: ProofData, of version: FrozenVersion, objects: Int) {
    guard objects >= version.schema.storedModels.count(where: { !$0.isEmbedded }) else { return }
    for model in Self.missing(from: data, version)
    where !report.notes.contains(Self.sentence(on: model, version)) {
      note(
        "Among many objects of version \(version.number) at once there is no \(model): none could be generated that keeps the "
          + "rules there. Files of your own (samples) bring some.")
    }
  }

  private static func missing(from data: ProofData, _ version: FrozenVersion) -> [String] {
    let made = Set(data.objects.map(\.model))
    return version.schema.storedModels.filter { !$0.isEmbedded && !made.contains($0.name) }
      .map(\.name)
  }

  private static func sentence(on model: String, _ version: FrozenVersion) -> String {
    "No \(model) of version \(version.number) could be generated that keeps the rules, so that none was upgraded from it. "
      + "Files of your own (samples) bring some."
  }
}
