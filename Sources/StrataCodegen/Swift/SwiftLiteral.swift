/// Values as Swift source.
package enum SwiftLiteral {
  /// A string in plain quotes on one line.
  package static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case let scalar where InvisibleText.contains(scalar):
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A whole number, digits grouped as the linter wants them.
  package static func integer(_ value: Int64) -> String {
    let digits = String(value.magnitude)
    let grouped = digits.count < 7 ? digits : group(digits)
    return (value < 0 ? "-" : "") + grouped
  }

  private static func group(_ digits: String) -> String {
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append("_") }
      result.append(digit)
    }
    return result
  }

  /// A number that is read back bit for bit; `type` names it where a plain literal cannot.
  package static func floatingPoint<T: BinaryFloatingPoint & LosslessStringConvertible>(
    _ value: T, type: String, bitPattern: String
  ) -> String {
    if value.isNaN {
      // The one NaN that Swift calls .nan; any other says its bits.
      return T.nan.sign == value.sign && bitPattern == canonicalNaN[type]
        ? ".nan" : "\(type)(bitPattern: \(bitPattern))"
    }
    // The compiler warns of a literal that underflows.
    if value.isSubnormal { return "\(type)(bitPattern: \(bitPattern))" }
    if value.isInfinite { return value < 0 ? "-.infinity" : ".infinity" }
    return DecimalLiteral.isExact(value, text: value.description)
      ? value.description : hexadecimal(value)
  }

  /// `0x1.2fc9fa8a75397p+3`: every bit of a finite, normal number.
  private static func hexadecimal<T: BinaryFloatingPoint>(_ value: T) -> String {
    // Whole digits of four bits each.
    let digits = (T.significandBitCount + 3) / 4
    let fraction = UInt64(value.significandBitPattern) << UInt64(digits * 4 - T.significandBitCount)
    let plain = String(fraction, radix: 16)
    var text = String(repeating: "0", count: digits - plain.count) + plain
    while text.count > 1, text.last == "0" { text.removeLast() }
    let exponent = Int(value.exponent)
    return "\(value < 0 ? "-" : "")0x1.\(text)p\(exponent < 0 ? "-" : "+")\(exponent.magnitude)"
  }

  private static let canonicalNaN = [
    "Float": hexadecimal(UInt64(Float.nan.bitPattern), digits: 8),
    "Double": hexadecimal(Double.nan.bitPattern, digits: 16),
  ]

  /// `0x7ff8_0000_0000_0000`
  package static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let plain = String(value, radix: 16)
    let padded = String(repeating: "0", count: max(0, digits - plain.count)) + plain
    var result = ""
    for (index, digit) in padded.enumerated() {
      if index > 0, digits > 4, (digits - index).isMultiple(of: 4) { result.append("_") }
      result.append(digit)
    }
    return "0x" + result
  }
}

/// Characters that a reader of source cannot see, or that change how the rest of a line is shown.
enum InvisibleText {
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
      true
    default: false
    }
  }
}

/// Documentation out of a declaration as comment lines.
enum DocComment {
  static func lines(_ doc: String) -> [String] {
    var lines = [""]
    for scalar in doc.unicodeScalars {
      if scalar == "\n" {
        lines.append("")
      } else if scalar == "\t" {
        lines[lines.count - 1] += "  "
      } else if !InvisibleText.contains(scalar) {
        lines[lines.count - 1].unicodeScalars.append(scalar)
      }
    }
    lines = lines.map { line in
      var line = line
      while line.last?.isWhitespace == true { line.removeLast() }
      return line
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return Array(lines.drop(while: \.isEmpty))
  }
}
