extension String {
  /// Lends the text's bytes, in UTF-8.
  ///
  /// `withUTF8` needs a text that may be changed, so that the caller copies it first, which counts references: as much as the
  /// rest of binding a short text.
  @inlinable package func withUTF8Bytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    // A text of Objective-C's, which has no UTF-8 yet.
    var copy = self
    return copy.withUTF8(body)
  }
}
