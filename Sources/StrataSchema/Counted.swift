/// A number for people: `1,234,567`.
package func grouped(_ number: some BinaryInteger) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return text
}

/// A number and what is counted: `1 row has`, `2,000 rows have`.
///
/// - Parameter several: nil for the word with an s.
package func counted(
  _ count: some BinaryInteger, _ one: String, _ several: String? = nil
) -> String {
  "\(grouped(count)) \(count == 1 ? one : several ?? one + "s")"
}

/// A size for people: `3.2 MB`, in powers of ten.
package func sized(_ bytes: Int) -> String {
  var value = Double(bytes)
  for unit in ["bytes", "kB", "MB", "GB"] {
    if value < 1000 {
      return unit == "bytes"
        ? counted(bytes, "byte") : "\((value * 10).rounded() / 10) \(unit)"
    }
    value /= 1000
  }
  return "\((value * 10).rounded() / 10) TB"
}
