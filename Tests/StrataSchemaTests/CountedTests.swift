import StrataSchema
import Testing

/// Numbers, counts and sizes as people read them.
@Suite struct CountedTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"), (12_345, "12,345"),
  ])
  func thousandsAreApart(number: Int, text: String) {
    #expect(grouped(number) == text)
  }

  @Test func aCountHasItsNoun() {
    #expect(counted(1, "row") == "1 row")
    #expect(counted(0, "row") == "0 rows")
    #expect(counted(2_000, "row has", "rows have") == "2,000 rows have")
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_250, "1.3 kB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (3_200_000, "3.2 MB"), (999_949_999, "999.9 MB"),
    (999_950_000, "1.0 GB"), (999_999_999_999, "1.0 TB"), (1_500_000_000_000_000, "1500.0 TB"),
  ])
  func aSizeIsOfTheUnitThatItRoundsTo(bytes: Int, text: String) {
    #expect(sized(bytes) == text)
  }
}
