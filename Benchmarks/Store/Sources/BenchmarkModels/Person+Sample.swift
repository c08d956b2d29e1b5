/// The values of the benchmark's people, by number; the same for everybody who is measured.
public enum Sample {
  public static let names = [
    "Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "John", "Anita", "Tony",
    "Adele", "Dennis", "Radia", "Ken", "Margaret", "Niklaus", "Jean", "Robin", "Shafi", "Leslie",
  ]

  /// A number that looks like chance and is the same each time.
  public static func mix(_ number: Int) -> Int {
    var value = UInt64(number) &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) >> 2)
  }

  public static func name(_ number: Int) -> String {
    "\(names[mix(number) % names.count]) \(mix(number) % 100_000)"
  }

  public static func age(_ number: Int) -> Int { mix(number + 7) % 100 }
  public static func score(_ number: Int) -> Double { Double(number) * 0.5 }
  public static func email(_ number: Int) -> String? {
    number % 2 == 0 ? "person\(number)@example.org" : nil
  }
}
