extension String {
  /// The text that these bytes are; nil where they are no UTF-8.
  ///
  /// The library's own initialiser looks its types up at each call, which costs more than a short text. Most texts are ASCII, of
  /// which there is nothing to check.
  package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    if UnsafeRawBufferPointer(bytes).isASCII {
      self = String(decoding: bytes, as: UTF8.self)
    } else if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte has its highest bit set.
  fileprivate var isASCII: Bool {
    var position = 0
    var bits: UInt64 = 0
    while position + 8 <= count {
      bits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    while position < count {
      bits |= UInt64(self[position])
      position += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
