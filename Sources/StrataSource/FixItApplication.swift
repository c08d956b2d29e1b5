/// Files with fix-its applied.
package struct FixItApplication: Sendable {
  /// The new texts of the files that change, by path.
  package private(set) var files: [String: SourceFile] = [:]
  /// The findings whose fix-it was applied.
  package private(set) var repaired: [Diagnostic] = []
  /// How many fix-its were left out because another one edits the same bytes; the next run has them.
  package private(set) var conflictCount = 0

  /// Applies the fix-its of the findings that `isWanted`, first come first served, to the files that the
  /// findings point into. It is asked of each finding whose fix-it can be applied, once.
  package init(
    _ diagnostics: Diagnostics, where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) {
    var edits: [String: [FixIt.Edit]] = [:]
    for finding in diagnostics.sorted {
      guard let fixIt = finding.fixIt, !fixIt.edits.isEmpty,
        fixIt.edits.allSatisfy({ edit in
          diagnostics.sources[edit.path].map { edit.range.upperBound <= $0.bytes.count } ?? false
        }), isWanted(finding)
      else { continue }
      let conflicts = fixIt.edits.contains { edit in
        edits[edit.path, default: []].contains { $0 != edit && $0.touches(edit) }
      }
      guard !conflicts else {
        conflictCount += 1
        continue
      }
      for edit in fixIt.edits where !edits[edit.path, default: []].contains(edit) {
        edits[edit.path, default: []].append(edit)
      }
      repaired.append(finding)
    }
    for (path, own) in edits {
      guard let source = diagnostics.sources[path] else { continue }
      files[path] = Self.apply(own, to: source)
    }
  }

  /// The file with edits applied that do not overlap.
  package static func apply(_ edits: [FixIt.Edit], to source: SourceFile) -> SourceFile {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(source.bytes.count)
    var position = 0
    let inOrder = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    for (_, edit) in inOrder {
      bytes += source.bytes[position..<edit.range.lowerBound]
      bytes += edit.replacement.utf8
      position = edit.range.upperBound
    }
    bytes += source.bytes[position...]
    return SourceFile(path: source.path, bytes: bytes)
  }
}

extension FixIt.Edit {
  /// Whether the two cannot both be applied: they overlap, or insert at the same place what is no entry.
  fileprivate func touches(_ other: FixIt.Edit) -> Bool {
    if isEntry, other.isEntry, range.isEmpty, other.range.isEmpty { return false }
    return range.overlaps(other.range) || range.lowerBound == other.range.lowerBound
  }
}
