import StrataSQLite
import StrataSchema

/// Why a file was not upgraded. The file is as it was.
///
/// `code` is stable and has a page in the documentation; `description` is a sentence for people that
/// says what happened, where, and what to do.
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of obstacle it was.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case fileMissing
    case fileUnreadable
    case fileIsFolder
    case notADatabase
    case fileDamaged
    case fileEncrypted
    case wrongKey
    case fileNotEncrypted
    case otherCipher
    case unknownEncryption
    case keyUnusable
    case foreignFile
    case fileIsNewer
    case unknownShape
    case unknownVersion
    case brokenHistory
    case readOnly
    case busy
    case diskFull
    case blockMissing
    case blockFailed
    case stepMissing
    case requiredValueMissing
    case duplicateValue
    case conversionFailed
    case deletionDenied
    case ruleBroken
    case verificationFailed
    case renameRefused
    case cannotGoBack
    case losesData
    case cancelled
    case inputOutput
  }

  public let kind: Kind
  public let description: String
  /// The version that was being made, where the obstacle came up in a step.
  public let version: Int?
  /// The model of the object that was being upgraded.
  public let model: String?
  /// The object's identity, its `_row`.
  public let identity: Int64?
  /// Of `busy`: the other processes that have the file open, where the system tells.
  public let processes: [FileProcess]

  /// Of `ruleBroken`: the rules of the new version that objects break, by model and rule.
  public let brokenRules: [RuleViolations]

  /// A process that has a file open.
  public struct FileProcess: Hashable, Sendable {
    /// The system's number of the process.
    public let identifier: Int32
    /// What the system calls its program.
    public let name: String
  }

  package init(
    _ kind: Kind, _ description: String, version: Int? = nil, model: String? = nil,
    identity: Int64? = nil
  ) {
    self.init(kind, description, version, model, identity, [])
  }

  private init(
    _ kind: Kind, _ description: String, _ version: Int?, _ model: String?, _ identity: Int64?,
    _ processes: [FileProcess], _ brokenRules: [RuleViolations] = []
  ) {
    self.brokenRules = brokenRules
    self.processes = processes
    self.kind = kind
    self.description = description
    self.version = version
    self.model = model
    self.identity = identity
  }

  /// The same of a file that people know by another name than the one that it was upgraded under.
  func naming(_ path: String, insteadOf place: String) -> MigrationError {
    MigrationError(
      kind, description.replacing(place, with: path), version, model, identity, processes,
      brokenRules)
  }

  /// Objects that break rules of the version that was being made.
  ///
  /// - Parameters:
  ///   - repaired: the rules that the step has a `repair:` for.
  ///   - isReshaped: whether the file is of this version already, with earlier declarations of it: neither a step nor a block is run then.
  ///   - isForecast: whether the upgrade was not tried.
  static func ruleBroken(
    _ broken: [RuleViolations], version: Int, form: UpgradeForm, repaired: Set<SchemaPath> = [],
    isReshaped: Bool = false, isForecast: Bool = false
  ) -> MigrationError {
    let first = broken.first
    let list = broken.map(\.description).joined(separator: "; ")
    // What the step says nothing of comes first: it is what is still to be written.
    let unrepaired = broken.first { !repaired.contains(SchemaPath($0.model, $0.rule)) }
    let advice =
      switch (form, unrepaired) {
      case (.steps, _) where isReshaped:
        """
        Change these objects with the earlier declarations, take the rule back, or begin the file anew: a step leads only from \
        one frozen version to the next, and the file is of version \(version) already.
        """
      case (.classic, _) where isReshaped:
        """
        Change these objects with the earlier declarations, take the rule back, or raise the version: a migration block is run \
        only for a file of an earlier one.
        """
      case (.classic, _): "Change or delete these objects in the migration block."
      case (_, let rule?):
        """
        Say in the step to version \(version) what becomes of them: \
        `repair: { \(rule.model).\(rule.rule): … }`, or change them before.
        """
      case (_, nil):
        """
        They break it after the `repair:` of the step to version \(version), too: say there what becomes of them, or \
        change them before.
        """
      }
    return MigrationError(
      .ruleBroken,
      """
      The upgrade to version \(version) \(isForecast ? "will be refused" : "was refused, and the file is as it was"): \
      \(list). \(advice)
      """,
      version, first?.model, first?.first.first?.identity, [], broken)
  }

  /// Objects that would break rules of the version that a file is taken back to.
  static func ruleBroken(
    _ broken: [RuleViolations], takingBack path: String, to version: Int
  ) -> MigrationError {
    let first = broken.first
    return MigrationError(
      .ruleBroken,
      """
      \(path) was not taken back to version \(version), and is as it was: \(broken.map(\.description).joined(separator: "; ")). \
      Change these objects in it first, or say with `back:` in the steps how they go back.
      """,
      version, first?.model, first?.first.first?.identity, [], broken)
  }

  /// The same refusal, of an old file that is upgraded anew so that another one can be taken back.
  func takingBack(_ path: String, from old: String) -> MigrationError {
    MigrationError(
      kind,
      "\(path) was not taken back, and is as it was: for that \(old) is upgraded anew, which was refused. \(description)",
      version, model, identity, processes, brokenRules)
  }

  /// Names in a sentence.
  private static let maximumNamed = 5

  /// A file that others use: the sentence says which processes have it open, where the system tells.
  ///
  /// - Parameters:
  ///   - path: the file as the system finds it.
  ///   - sentence: what happened, and what to do.
  package static func busy(_ path: String, _ sentence: String) -> MigrationError {
    let processes = FileUsers.others(of: path).map {
      FileProcess(identifier: $0.process, name: $0.name)
    }
    if processes.isEmpty { return MigrationError(.busy, sentence) }
    var names = processes.prefix(maximumNamed).map { "\($0.name) (process \($0.identifier))" }
    if processes.count > maximumNamed { names.append("\(processes.count - maximumNamed) more") }
    return MigrationError(
      .busy, "\(sentence) It is open in \(names.joined(separator: ", ")).", nil, nil, nil, processes
    )
  }

  /// Any other error, as one of reading and writing.
  package init(unexpected error: any Error, path: String) {
    switch error {
    case let error as MigrationError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    default: self.init(.inputOutput, "\(path): \(error)")
    }
  }

  /// Whether the data is what stopped the upgrade: another file of the same version may well be upgraded.
  package var isRefusal: Bool {
    switch kind {
    case .requiredValueMissing, .duplicateValue, .conversionFailed, .deletionDenied, .blockFailed,
      .verificationFailed, .ruleBroken:
      true
    default: false
    }
  }

  /// Whether the file is one of another key, or only the file or the program has one.
  var isOfKey: Bool {
    switch kind {
    case .fileEncrypted, .wrongKey, .fileNotEncrypted, .otherCipher, .unknownEncryption: true
    default: false
    }
  }

  /// The stable code, `STR5xxx`.
  public var code: String {
    switch kind {
    case .fileMissing: "STR5101"
    case .fileUnreadable: "STR5102"
    case .fileIsFolder: "STR5103"
    case .notADatabase: "STR5104"
    case .fileDamaged: "STR5105"
    case .fileEncrypted: "STR5106"
    case .foreignFile: "STR5107"
    case .wrongKey: "STR5121"
    case .fileNotEncrypted: "STR5122"
    case .otherCipher: "STR5123"
    case .unknownEncryption: "STR5124"
    case .keyUnusable: "STR5125"
    case .fileIsNewer: "STR5108"
    case .unknownShape: "STR5109"
    case .unknownVersion: "STR5110"
    case .brokenHistory: "STR5111"
    case .readOnly: "STR5112"
    case .busy: "STR5113"
    case .diskFull: "STR5114"
    case .inputOutput: "STR5115"
    case .cancelled: "STR5116"
    case .blockMissing: "STR5201"
    case .blockFailed: "STR5202"
    case .stepMissing: "STR5203"
    case .requiredValueMissing: "STR5204"
    case .duplicateValue: "STR5205"
    case .conversionFailed: "STR5206"
    case .deletionDenied: "STR5207"
    case .ruleBroken: "STR5210"
    case .verificationFailed: "STR5208"
    case .renameRefused: "STR5209"
    case .cannotGoBack: "STR5212"
    case .losesData: "STR5211"
    }
  }
}
