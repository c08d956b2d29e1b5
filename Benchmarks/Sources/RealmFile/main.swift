import RealmFixtures
import StrataRealm
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Writes a Realm file of people, as an app has them: RealmFile COUNT PATH. A key, two texts, a number, an amount, a date, a link to another one.

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[1]), count > 0 else {
  print("usage: RealmFile COUNT PATH")
  exit(64)
}
let nullable = FixtureFiles.nullable
let people = FixtureClass(
  name: "Person",
  columns: [
    .init(name: "id", type: 0) { $0.integers($1.map { Int64($0) }) },
    .init(name: "name", type: 2) { $0.texts($1.map { Array("Person \($0)".utf8) }) },
    .init(name: "city", type: 2, attributes: nullable) {
      $0.texts($1.map { $0 % 4 == 0 ? nil : Array("City \($0 % 1_000)".utf8) })
    },
    .init(name: "age", type: 0, attributes: nullable) {
      $0.optionalIntegers($1.map { $0 % 10 == 0 ? nil : Int64($0 % 100) })
    },
    .init(name: "balance", type: 10) { $0.doubles($1.map { (Double($0) / 8).bitPattern }) },
    .init(name: "born", type: 8) { $0.dates($1.map { (Int64($0) * 1_000, 0) }) },
    // The key of another one and 1.
    .init(name: "boss", type: 12, attributes: nullable) {
      $0.integers($1.map { Int64($0 * 7_919 % count) + 1 })
    },
  ], count: count, primaryKey: 0)
let bytes = RealmFixture(classes: [people]).file
let descriptor = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
guard descriptor >= 0 else {
  perror(arguments[2])
  exit(1)
}
var written = 0
while written < bytes.count {
  let result = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  guard result > 0 else {
    perror(arguments[2])
    exit(1)
  }
  written += result
}
close(descriptor)
