/// A range of bytes of a source file in half the space: no file is larger than `SourceFile.maximumSize`, and
/// the trees of large schemas consist of ranges for a good part.
package struct ByteRange: Hashable, Sendable {
  private var lowerBound: UInt32
  private var upperBound: UInt32

  package init(_ range: Range<Int>) {
    lowerBound = UInt32(clamping: range.lowerBound)
    upperBound = UInt32(clamping: range.upperBound)
  }

  package var range: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
