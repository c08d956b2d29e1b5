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

/// A size for people: `3.2 MB`, in powers of ten. What would round to a thousand of a unit is one of the next.
package func sized(_ bytes: Int) -> String {
  guard bytes >= 1000 else { return counted(bytes, "byte") }
  var tenths = (Double(bytes) / 100).rounded()
  var exact = Double(bytes) / 100
  for unit in ["kB", "MB", "GB"] {
    if tenths < 10_000 { return "\(tenths / 10) \(unit)" }
    exact /= 1000
    tenths = exact.rounded()
  }
  return "\(tenths / 10) TB"
}
