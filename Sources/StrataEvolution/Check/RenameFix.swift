import StrataSchema
import StrataSource

/// The edit that declares a likely rename.
enum RenameFix {
  static func fix(for change: SchemaChange, in pair: CheckedPair) -> FixIt? {
    guard change.kind == .propertyRenamedUndeclared || change.kind == .modelRenamedUndeclared,
      let old = change.oldPath, let step = pair.newer.step,
      let edit = step.places.declaration(old, change.path.property ?? change.path.model)
    else { return nil }
    return FixIt("declare the rename in \(step.places.file.name)", edits: [edit], isGuess: true)
  }
}
