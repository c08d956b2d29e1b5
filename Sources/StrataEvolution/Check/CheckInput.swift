import StrataExpression
package import StrataHistory
package import StrataSchema
package import StrataSource

/// A version with where everything of it stands.
package struct CheckedVersion: Sendable {
  package var schema: Schema
  package var places: SchemaPlaces
  /// The declarative step that reaches it.
  package var step: CheckedStep?
  /// The Swift files of the step.
  package var blocks: [SourceFile]
  /// Its line of the lock; nil for the working version.
  package var line: VersionLock.Line?
  /// Whether there is a step file that has errors or questions left: then it is unknown what the step covers.
  package var hasUnreadableStep: Bool

  package init(
    schema: Schema, places: SchemaPlaces, step: CheckedStep? = nil, blocks: [SourceFile] = [],
    line: VersionLock.Line? = nil, hasUnreadableStep: Bool = false
  ) {
    self.hasUnreadableStep = hasUnreadableStep
    self.schema = schema
    self.places = places
    self.step = step
    self.blocks = blocks
    self.line = line
  }

  package var number: Int { schema.version }
}

package struct CheckedStep: Sendable {
  package var step: MigrationStep
  package var places: StepPlaces

  package init(_ step: MigrationStep, _ places: StepPlaces) {
    self.step = step
    self.places = places
  }
}

/// What was there before: the other side of a pull request.
package struct Baseline: Sendable {
  /// As it is called in messages: `git:main`, `v4`.
  package var name: String
  package var lock: VersionLock
  /// The lock that both sides come from; nil where that is not known.
  package var ancestor: VersionLock?
  /// Sides that went their own way and were merged since: what they had sealed, and the lock that they came from.
  package var merged: [(lock: VersionLock, ancestor: VersionLock)] = []
  /// Its declarations and the order in which they stood.
  package var working: Schema?
  package var order: DeclarationOrder?
  /// The first line of its lock, which names how digests are made.
  package var algorithm: String?
  /// What its file of a version says, whatever its lock says; nil where that is not known.
  package var schema: @Sendable (_ version: Int) -> Schema?

  package init(
    name: String, lock: VersionLock, ancestor: VersionLock? = nil, working: Schema? = nil,
    order: DeclarationOrder? = nil, algorithm: String? = nil,
    schema: @escaping @Sendable (_ version: Int) -> Schema? = { _ in nil }
  ) {
    self.algorithm = algorithm
    self.schema = schema
    self.name = name
    self.lock = lock
    self.ancestor = ancestor
    self.working = working
    self.order = order
  }
}

/// All that a check looks at.
package struct CheckInput: Sendable {
  /// The frozen versions, in order.
  package var frozen: [CheckedVersion]
  /// The declarations that are being worked on.
  package var working: CheckedVersion?
  /// Whether the folder holds declarations at all; those with errors are no `working` version.
  package var hasDeclarations = true
  /// Steps to versions that do not exist.
  package var strayFiles: [SourceFile] = []
  package var lockSpans: [Int: SourceSpan] = [:]
  /// The first line of the lock, and where it stands.
  package var algorithm: (text: String, span: SourceSpan)?
  package var baseline: Baseline?
  /// All Swift files of the folder of migrations.
  package var swiftFiles: [SourceFile] = []
  /// Rule name → severity; nil switches it off.
  package var severities: [String: Severity?] = [:]
  /// Where the settings name a rule.
  package var severitySpans: [String: SourceSpan] = [:]
  /// The oldest version that files may have.
  package var supports: Int?
  package var supportsSpan: SourceSpan?
  /// What real files hold, by version, where some were looked at.
  package var samples: [Sample]?
  /// What an upgrade of a sample may cost.
  package var limits = UpgradeLimits()
  /// Whether the settings say that generated classes are public, so that other packages use them.
  package var hasPublicClasses = false

  package init(frozen: [CheckedVersion], working: CheckedVersion?) {
    self.frozen = frozen
    self.working = working
  }

  /// The newest frozen version.
  package var newest: CheckedVersion? { frozen.last }

  /// The frozen versions and the working one, where that is another one.
  package var versions: [CheckedVersion] {
    guard let working else { return frozen }
    guard let newest else { return [working] }
    return working.number == newest.number && working.schema.hasMeaning(of: newest.schema)
      ? frozen : frozen + [working]
  }
}

/// From which cost on the upgrade of a sample is worth a warning.
package struct UpgradeLimits: Sendable {
  /// The bytes that the upgrade of a file of some size may need; nil where the disk is the only limit.
  package var disk: (@Sendable (_ size: Int) -> Int)?
  /// How many objects of a model a Swift block may meet.
  package var blockObjects: Int

  /// As many as a block takes in about a second.
  package static let usualBlockObjects = 100_000

  package init(
    disk: (@Sendable (_ size: Int) -> Int)? = nil, blockObjects: Int = Self.usualBlockObjects
  ) {
    self.disk = disk
    self.blockObjects = blockObjects
  }
}

/// What a real file holds of what the next step is about.
package struct Sample: Sendable {
  package var file: String
  package var version: Int
  /// Objects by model.
  package var counts: [String: Int]
  /// Objects with nil there.
  package var nils: [SchemaPath: Int]
  /// Objects with a nil element in a collection.
  package var nilElements: [SchemaPath: Int] = [:]
  /// Objects with elements in a collection.
  package var filled: [SchemaPath: Int] = [:]
  /// Objects that agree with an earlier one: model and properties → how many.
  package var duplicates: [Key: Int]
  /// Stored values of enums that are about to go: enum case → how many objects.
  package var values: [SchemaPath: Int]
  /// Objects that would break a rule when a version is made.
  package var broken: [RuleKey: Int] = [:]
  /// The bytes that an upgrade needs, and those that the file's disk has left; nil where that is not known.
  package var disk: (needed: Int, free: Int)?
  /// The bytes of the file.
  package var size: Int?

  package struct Key: Hashable, Sendable {
    package var model: String
    package var properties: [String]

    package init(_ model: String, _ properties: [String]) {
      self.model = model
      self.properties = properties
    }
  }

  package struct RuleKey: Hashable, Sendable {
    package var version: Int
    package var at: SchemaPath

    package init(version: Int, at path: SchemaPath) {
      self.version = version
      self.at = path
    }
  }

  package init(
    file: String, version: Int, counts: [String: Int] = [:], nils: [SchemaPath: Int] = [:],
    duplicates: [Key: Int] = [:], values: [SchemaPath: Int] = [:]
  ) {
    self.file = file
    self.version = version
    self.counts = counts
    self.nils = nils
    self.duplicates = duplicates
    self.values = values
  }
}
