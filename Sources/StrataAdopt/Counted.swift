/// A number and what is counted: `1 row has`, `2 rows have`.
func counted(_ count: some BinaryInteger, _ one: String, _ several: String) -> String {
  "\(count) \(count == 1 ? one : several)"
}
