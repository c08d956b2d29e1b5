/// A place between two characters of a text, as people count.
package struct SourceLocation: Hashable, Sendable, Comparable {
  /// From 1.
  package var line: Int
  /// From 1, in Unicode scalars: a letter with a combining accent takes two columns, a tab one, an emoji
  /// outside the first plane one.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A stretch of a file: its bytes for programs, lines and columns for people. The end is exclusive.
package struct SourceSpan: Hashable, Sendable {
  package var path: String
  package var range: Range<Int>
  package var start: SourceLocation
  package var end: SourceLocation

  package init(path: String, range: Range<Int>, start: SourceLocation, end: SourceLocation) {
    self.path = path
    self.range = range
    self.start = start
    self.end = end
  }
}

extension SourceSpan: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    if left.path != right.path {
      return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
    }
    return (left.range.lowerBound, left.range.upperBound)
      < (right.range.lowerBound, right.range.upperBound)
  }
}
