import StrataSchema
import Testing

@testable import Strata

/// A number of JSON is taken as it is spelled, or refused: never as the number beside it.
@Suite struct JSONNumberTests {
  @Test(
    arguments: [
      ("9007199254740993.0", .int, .int(9_007_199_254_740_993)),
      ("1000000000000000001.0", .int, .int(1_000_000_000_000_000_001)),
      ("1e3", .int, .int(1000)),
      // The nearest double is another whole number.
      ("20557461293950120e1", .int, .int(205_574_612_939_501_200)),
      ("-0", .int, .int(0)), ("-0.0", .int, .int(0)),
      ("-9223372036854775808", .int, .int(.min)),
      ("-9223372036854775809", .int, nil),
      ("1.0000000000000000001", .int, nil),
      ("1e400", .int, nil),
      ("128", .int8, nil),
      ("0.1234567890123456789", .decimal, DecimalValue("0.1234567890123456789").map(Value.decimal)),
      ("18446744073709551617", .decimal, DecimalValue("18446744073709551617").map(Value.decimal)),
      ("1e20", .decimal, DecimalValue("100000000000000000000").map(Value.decimal)),
      ("0.1", .double, .double(0.1)),
      ("0.1234567890123456789", .double, .double(0.1234567890123456789)),
      ("18446744073709551617", .double, .double(18_446_744_073_709_551_616)),
      ("5e-324", .double, .double(.leastNonzeroMagnitude)),
      ("1e400", .double, nil),
      // Their nearest double is halfway between two floats.
      ("1.00000005960464477539062500001", .float, .float(1.0000001)),
      ("1.0000000596046448", .float, .float(1.0000001)),
      ("1.00000005960464477539062499999", .float, .float(1)),
      ("9007199791611905", .float, .float(9_007_200_328_482_816)),
      ("0.1", .float, .float(0.1)), ("-0.0", .float, .float(-0.0)), ("1e-50", .float, .float(0)),
      ("-1e400", .float, nil),
      ("1e39", .float, nil),
      ("1e400", .any, nil),
      ("1.50", .any, .double(1.5)),
      ("18446744073709551617", .any, nil),
      (#"{"$int":9007199254740993.0}"#, .any, .int(9_007_199_254_740_993)),
      (
        #"{"$decimal":0.1234567890123456789}"#, .any,
        DecimalValue("0.1234567890123456789").map(Value.decimal)
      ),
    ] as [(String, ScalarType, Value?)])
  func aNumberIsTakenAsItIsSpelled(_ text: String, _ type: ScalarType, _ expected: Value?) throws {
    #expect(JSONCoding.value(try JSON.parse(text), as: type) == expected)
  }

  /// What a writer of doubles has written stays one.
  @Test(arguments: [
    "0.1", "-0.0", "-0", "0.30000000000000004", "1e300", "1E+300", "1.7976931348623157e308",
    "5e-324",
    "123456789.125", "100.0", "0.00", "0e5", "1.50e-7",
  ])
  func theDigitsOfADoubleAreADouble(_ text: String) throws {
    guard case .double(let value) = try JSON.parse(text) else {
      Issue.record("\(text)")
      return
    }
    #expect(value.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: [
    "9223372036854775808", "1e400", "1e99999999999999999999",
    "0.1000000000000000055511151231257827",
    "9007199254740993.0", "1e-400",
  ])
  func otherDigitsStay(_ text: String) throws {
    let json = try JSON.parse(text)
    #expect(json == .number(text))
    #expect(json.canonicalText == text)
  }
}
