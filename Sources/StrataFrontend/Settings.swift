package import StrataSource

/// What a `strata.yaml` says about a project: where its folders are, how strict the rules are, what generated code
/// looks like.
package struct Settings: Sendable {
  package static let fileName = "strata.yaml"

  package enum Access: String, CaseIterable, Sendable {
    case `public`
    case package
    case `internal`
  }

  package enum RuleSeverity: String, CaseIterable, Sendable {
    case off
    case info
    case warning
    case error
  }

  /// How generated code is to look; nil for what is not said.
  package struct Generation: Sendable {
    package var access: Access?
    package var imports: [String] = []
  }

  /// What an upgrade may cost before the samples of `check` make it worth a warning.
  package struct Limits: Sendable {
    package enum Disk: Hashable, Sendable {
      case bytes(Int)
      /// A multiple of the file's own size.
      case times(Double)

      /// Every upgrade is reckoned with some megabytes of its own, which no multiple of a small file would cover.
      package static let leastOfMultiple = 4 << 20

      /// The bytes that the upgrade of a file may need.
      package func bytes(ofFile size: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .times(let times):
          max(Self.leastOfMultiple, Int(exactly: (Double(size) * times).rounded()) ?? .max)
        }
      }
    }

    package var disk: Disk?
    /// How many objects of a model a Swift block may meet in a file.
    package var blockObjects: Int?
  }

  /// The keys whose values name something that has to be there.
  package enum Reference: String, Sendable {
    case schemas
    case migrations
    case baseline
  }

  /// The file that says them; nil for what holds without one.
  package var source: SourceFile?
  /// Folders as they are written, relative to the folder of the file.
  package var schemas: String?
  package var migrations: String?
  package var generation = Generation()
  /// A rule's name → how serious its findings are.
  package var rules: [String: RuleSeverity] = [:]
  /// What the project is checked against when nothing else is said, `git:main`.
  package var baseline: String?
  /// The oldest version that files of users may still have.
  package var supports: Int?
  package var supportsSpan: SourceSpan?
  package var limits = Limits()
  /// Where the values of these keys stand.
  package var referenceSpans: [Reference: SourceSpan] = [:]
  /// Where each rule is named, for the check that knows which rules there are.
  package var ruleSpans: [String: SourceSpan] = [:]

  package init() {}
}
