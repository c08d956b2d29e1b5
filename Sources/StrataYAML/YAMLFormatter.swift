package import StrataSource

/// Writes a YAML text again in canonical form: two spaces a level, one space behind a colon, double quotes,
/// two spaces before a comment, one empty line at most, LF at the end of lines.
///
/// Order, comments and what is plain or quoted stay. Lists and mappings in brackets stay in brackets while
/// they fit on a line. Formatting what was formatted gives the same bytes, and the text means the same.
package enum YAMLFormatter {
  /// In Unicode scalars. What cannot be broken may be longer.
  package static let lineLength = 100

  /// Nil where the text has mistakes of YAML, which are reported.
  ///
  /// - Parameter spelling: gives the same nodes with scalars of one line spelled otherwise.
  package static func format(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics,
    spelling: (YAMLNode) -> YAMLNode = { $0 }
  ) -> SourceFile? {
    let errorsBefore = diagnostics.errorCount
    guard var document = YAMLComposer.compose(file, reporting: &diagnostics),
      diagnostics.errorCount == errorsBefore
    else { return nil }
    document.root = document.root.map(spelling)
    var writer = FormatWriter(document)
    let formatted = SourceFile(path: file.path, bytes: writer.write())
    // The same bytes mean the same: most texts are formatted already.
    if formatted.bytes == file.bytes { return file }
    // A text that would mean something else is not worth any beauty.
    guard isEquivalent(formatted, to: document) else { return file }
    return formatted
  }

  private static func isEquivalent(_ formatted: SourceFile, to document: YAMLDocument) -> Bool {
    var diagnostics = Diagnostics()
    guard let other = YAMLComposer.compose(formatted, reporting: &diagnostics),
      diagnostics.isEmpty,
      YAMLComment.all(of: other).count == YAMLComment.all(of: document).count
    else { return false }
    guard let old = document.root, let new = other.root else {
      return document.root == nil && other.root == nil
    }
    return old.says(sameAs: new)
  }
}

extension YAMLNode {
  /// Whether both say the same, wherever they stand and however they are quoted.
  package func says(sameAs other: YAMLNode) -> Bool {
    switch (content, other.content) {
    case (.scalar(let a), .scalar(let b)):
      if a.isNull || b.isNull { return a.isNull && b.isNull }
      return a.isPlain == b.isPlain && a.text.utf8.elementsEqual(b.text.utf8)
    case (.sequence(let a, _), .sequence(let b, _)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.says(sameAs: $1) }
    case (.mapping(let a, _), .mapping(let b, _)):
      return a.count == b.count
        && zip(a, b).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.says(sameAs: $1.value)
        }
    default: return false
    }
  }
}
