/// `LanguageFuzz [inputs] [seed] [first]`: throws texts at the compiler, the formatter and the readers of steps, locks and
/// settings. An input is known by the seed and its number.
let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
let inputs = arguments.first ?? 200_000
let seed = arguments.count > 1 ? arguments[1] : 1
let first = arguments.count > 2 ? arguments[2] : 0
let clock = ContinuousClock()
let start = clock.now
var slowest: (duration: Duration, number: Int) = (.zero, 0)

for number in first..<first + inputs {
  let began = clock.now
  if let problem = FuzzCheck.run(seed: seed, number: number) {
    print(problem)
    fatalError("a promise was broken")
  }
  let duration = clock.now - began
  if duration > slowest.duration { slowest = (duration, number) }
  if number % 20_000 == 19_999 { print("\(number + 1 - first) inputs, \(clock.now - start)") }
}
print("slowest: input \(slowest.number), \(slowest.duration)")
print("fuzz: ok, \(inputs) inputs, seed \(seed), \(clock.now - start)")
