import CLibYAML
import StrataFrontend
import StrataSchema
import StrataSource

/// How long it takes to compile schemas, and how that compares with libyaml merely scanning their bytes.

/// A model with twenty properties, as people write them.
func model(_ number: Int) -> String {
  let link = number > 0 ? "Model\(number - 1)" : "Model0"
  return """
      Model\(number):
        doc: The model with the number \(number).
        primaryKey: id
        indexes: [[lastName, firstName]]
        properties:
          id: uuid
          firstName: string
          lastName: string
          email: string?
          age: { type: int, default: 0, indexed: true }
          birthdate: date?
          height: double
          weight: float?
          isActive: { type: bool, default: true }
          picture: data?
          balance: decimal
          tags: set<string>
          scores: map<double>
          previous: \(link)?
          others: [\(link)]
          mood: { type: Mood, default: calm }
          notes: { type: string, default: "", doc: Whatever there is to say. }
          created: { type: date, generate: now }
          count: int32
          city: { type: string?, indexed: true }

    """
}

let header = "schema: Large\nversion: 1\nenums:\n  Mood: { type: string, cases: [calm, angry] }\n"

/// `models` models in files of `perFile` models each.
func files(models: Int, perFile: Int) -> [SourceFile] {
  stride(from: 0, to: models, by: perFile).map { start in
    let text = (start..<min(models, start + perFile)).map(model).joined()
    return SourceFile(
      path: "models\(start).yaml", text: (start == 0 ? header : "") + "models:\n" + text)
  }
}

func scan(_ files: [SourceFile]) -> Int {
  var count = 0
  for file in files {
    var parser = yaml_parser_t()
    yaml_parser_initialize(&parser)
    file.bytes.withUnsafeBufferPointer { bytes in
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var token = yaml_token_t()
      var isAtEnd = false
      while !isAtEnd, yaml_parser_scan(&parser, &token) == 1 {
        isAtEnd = token.type == YAML_STREAM_END_TOKEN
        count += 1
        yaml_token_delete(&token)
      }
    }
    yaml_parser_delete(&parser)
  }
  return count
}

/// The fastest of some runs, in seconds.
func measure(_ runs: Int, _ body: () -> Int) -> Double {
  let clock = ContinuousClock()
  var best = Double.infinity
  for _ in 0..<runs {
    let time = clock.measure { guard body() > 0 else { fatalError("nothing was measured") } }
    let (seconds, attoseconds) = time.components
    best = min(best, Double(seconds) + Double(attoseconds) * 1e-18)
  }
  return best
}

func compile(_ files: [SourceFile]) -> Int {
  var diagnostics = Diagnostics()
  guard let compilation = SchemaCompiler.compile(files, reporting: &diagnostics) else {
    print(TextRenderer().render(diagnostics))
    return 0
  }
  return compilation.schema.models.count
}

func shown(_ value: Double, _ digits: Int = 2) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int((value * scale).rounded())
  let fraction = String(scaled % Int(scale))
  return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.utf8.count)
    + fraction
}

print("models  files   KiB  scan ms  compile ms  ratio")
var perModel: [Double] = []
for (models, perFile, runs) in [
  (1_000, 1_000, 20), (1_000, 1, 20), (2_500, 1_000, 10), (5_000, 1_000, 5), (10_000, 1_000, 5),
] {
  let files = files(models: models, perFile: perFile)
  let size = files.reduce(0) { $0 + $1.bytes.count }
  let scanning = measure(runs) { scan(files) }
  let compiling = measure(runs) { compile(files) }
  let columns = [
    ("\(models)", 6), ("\(files.count)", 7), ("\(size >> 10)", 6), (shown(scanning * 1000), 9),
    (shown(compiling * 1000), 12), (shown(compiling / scanning), 7),
  ]
  print(
    columns.map { String(repeating: " ", count: max(0, $1 - $0.utf8.count)) + $0 }.joined())
  if perFile > 1 { perModel.append(compiling / Double(models)) }
}
if let first = perModel.first, let last = perModel.last {
  print("time per model at 10,000 models to that at 1,000: \(shown(last / first))")
}
