import Foundation

/// How long it takes to generate a thousand models.
struct GenerationTime {
  let strata: URL
  let scratch: URL

  func measure() throws {
    let schema = SampleSchema(models: 1000)
    let declarations = scratch.appendingPathComponent("declarations")
    let output = scratch.appendingPathComponent("output")
    let copies = scratch.appendingPathComponent("copies")
    try schema.writeYAML(to: declarations)
    let build = ["build", "-c", "release", "--product", "strata-codegen"]
    try Command("swift", build, in: strata).run()
    let generator = Command(
      strata.appendingPathComponent(".build/release/strata-codegen").path,
      [
        "models", "--schemas", declarations.path, "--layout", "source", "--output", output.path,
      ])
    func remove(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }

    func generate() throws { try generator.run() }
    let generated = try Clock.median(prepare: { remove(output) }, generate)
    let unchanged = try Clock.median(generate)

    // What generation cannot be faster than: files of the same number and size.
    let files = try FileManager.default.contentsOfDirectory(
      at: output, includingPropertiesForKeys: nil
    ).map { (name: $0.lastPathComponent, data: try Data(contentsOf: $0)) }
    let bytes = files.reduce(0) { $0 + $1.data.count }
    func write() throws {
      try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
      for file in files { try save(file.data, to: copies.appendingPathComponent(file.name)) }
    }
    let written = try Clock.median(prepare: { remove(copies) }, write)

    print("1,000 models of 20 properties, \(bytes / 1024) KiB of Swift")
    report("generate", generated, "\(ratio(generated / written)) × writing the bytes")
    report("generate, everything up to date", unchanged)
    report("write the same bytes", written)
  }

  /// As the generator writes. Foundation's own function waits until the disk has the bytes.
  private func save(_ data: Data, to url: URL) throws {
    guard let file = fopen(url.path, "w") else {
      throw Command.Failure(description: "\(url.path) cannot be written")
    }
    let written = data.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    guard fclose(file) == 0, written == data.count else {
      throw Command.Failure(description: "\(url.path) cannot be written")
    }
  }
}
