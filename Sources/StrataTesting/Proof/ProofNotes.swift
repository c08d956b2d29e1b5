import Strata
import StrataSQLite
import StrataSchema

/// What the process that upgrades a proof's file, or takes it back, tells of it beside.
struct ProofNotes {
  struct Loss {
    let model: String
    let property: String?
    let reason: String
    let count: Int
    /// Those that the report names.
    let identities: Set<Int64>
  }

  struct LateBack {
    let version: Int
    let model: String
  }

  var losses: [Loss] = []
  var isLossless = true
  /// The newest `step.back` that came too late to be heard, if there was one.
  var lateBack: LateBack?

  init(lateBack: LateBack? = nil) { self.lateBack = lateBack }

  init(_ report: DowngradeReport) {
    isLossless = report.isLossless
    losses = report.losses.map { loss in
      Loss(
        model: loss.model, property: loss.property, reason: loss.reason, count: loss.count,
        identities: Set(loss.objects.map(\.identity)))
    }
  }
}

extension ProofNotes {
  /// Bytes of notes at most: names of a thousand models with ten objects each take less.
  private static let maximumLength = 16 << 20

  func write(to path: String) throws {
    let json = JSON.object([
      "isLossless": .bool(isLossless),
      "losses": .array(
        losses.map { loss in
          .object([
            "model": .string(loss.model), "property": loss.property.map(JSON.string) ?? .null,
            "reason": .string(loss.reason), "count": .int(Int64(loss.count)),
            "identities": .array(loss.identities.map(JSON.int)),
          ])
        }),
      "lateBack": lateBack.map {
        .object(["version": .int(Int64($0.version)), "model": .string($0.model)])
      } ?? .null,
    ])
    try POSIXFiles().write(Array(json.canonicalText.utf8), to: path, permissions: 0o600)
  }

  /// Reads what `write` wrote; nothing where it did not.
  init(at path: String) throws {
    let files = POSIXFiles()
    guard try files.exists(path) else { return }
    let size = try files.size(of: path) ?? 0
    let json = try JSON.parse(
      try files.read(path, from: 0, count: min(Self.maximumLength, size)))
    isLossless = json["isLossless"]?.bool ?? true
    for loss in json["losses"]?.array ?? [] {
      losses.append(
        Loss(
          model: loss["model"]?.string ?? "", property: loss["property"]?.string,
          reason: loss["reason"]?.string ?? "", count: Int(loss["count"]?.int ?? 0),
          identities: Set((loss["identities"]?.array ?? []).compactMap(\.int))))
    }
    if let late = json["lateBack"], let version = late["version"]?.int {
      lateBack = LateBack(version: Int(version), model: late["model"]?.string ?? "")
    }
  }
}
