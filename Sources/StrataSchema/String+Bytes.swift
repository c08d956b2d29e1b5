// Texts by their bytes, as SQLite takes them: `é` is one scalar or two, which Swift's own `==` takes for equal and a file does not.

extension String {
  /// Whether two texts have the same bytes.
  package func isSpelled(like other: String) -> Bool {
    let answer = withBytes(of: other) { $0.isSame(as: $1) }
    return answer ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes of the text sort in front of those of another one, as SQLite compares texts.
  package func precedesInBytes(_ other: String) -> Bool {
    let answer = withBytes(of: other) { $0.precedes($1) }
    return answer ?? utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// Lends the bytes of both texts; nil where one of them has no bytes in a row, as a text of Objective-C may not.
  @inline(__always) private func withBytes(
    of other: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool? {
    let answer = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        body(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
    return answer.flatMap { $0 }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always) private func word(at position: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: position, as: UInt64.self)
  }

  /// Eight bytes at a time.
  @inline(__always) fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var position = 0
    while position + 8 <= count {
      if word(at: position) != other.word(at: position) { return false }
      position += 8
    }
    while position < count {
      if self[position] != other[position] { return false }
      position += 1
    }
    return true
  }

  /// Eight bytes at a time: the first that differ decide.
  @inline(__always) fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let shared = Swift.min(count, other.count)
    var position = 0
    while position + 8 <= shared {
      let (left, right) = (word(at: position), other.word(at: position))
      if left != right { return UInt64(bigEndian: left) < UInt64(bigEndian: right) }
      position += 8
    }
    while position < shared {
      if self[position] != other[position] { return self[position] < other[position] }
      position += 1
    }
    return count < other.count
  }
}
