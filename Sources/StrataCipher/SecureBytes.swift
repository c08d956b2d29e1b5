/// Bytes from the system's generator.
enum SecureBytes {
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      var word = generator.next()
      withUnsafeBytes(of: &word) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
  }
}
