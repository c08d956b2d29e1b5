import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// The edit that declares a likely rename. It is offered, never made without a word.
enum RenameFix {
  static func fix(for change: SchemaChange, in pair: CheckedPair) -> FixIt? {
    guard change.kind == .propertyRenamedUndeclared || change.kind == .modelRenamedUndeclared,
      let old = change.oldPath
    else { return nil }
    let entry = "\(old): \(change.path.property ?? change.path.model)"
    guard let step = pair.newer.step else { return nil }
    let file = step.places.file
    let title = "declare the rename in \(file.name)"
    // Behind the first key of `rename:` that is there, in the form that it has.
    let known =
      step.step.renames.models.keys.map { SchemaPath($0) }
      + Array(step.step.renames.properties.keys)
    let first = known.compactMap { step.places[.renamed($0)] }.min()
    guard let first else {
      let end = file.bytes.count
      let needsBreak = !file.bytes.isEmpty && file.bytes.last != 0x0A
      let head = file.bytes.isEmpty ? "to: \(pair.newer.number)\n" : needsBreak ? "\n" : ""
      return FixIt(
        title,
        edits: [
          FixIt.Edit(
            path: file.path, range: end..<end,
            replacement: head + "rename: { \(entry) }\n")
        ])
    }
    let start = first.range.lowerBound
    let lineStart = file.bytes[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let before = file.bytes[lineStart..<start]
    let isBlock = before.allSatisfy { $0 == 0x20 }
    let replacement =
      isBlock ? "\(entry)\n\(String(repeating: " ", count: before.count))" : "\(entry), "
    return FixIt(
      title,
      edits: [FixIt.Edit(path: file.path, range: start..<start, replacement: replacement)])
  }
}
