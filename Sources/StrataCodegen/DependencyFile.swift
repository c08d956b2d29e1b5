/// What was read for which outputs, in the syntax that make, CMake and ninja include.
package enum DependencyFile {
  package static func text(outputs: [String], inputs: [String]) -> String {
    guard !outputs.isEmpty else { return "" }
    let targets = outputs.map(escaped).joined(separator: " ")
    let prerequisites = inputs.map { " \\\n  " + escaped($0) }.joined()
    // A target without a rule for every input: a file that was removed is no error, it makes its outputs outdated.
    let removable = inputs.map { "\n" + escaped($0) + ":\n" }.joined()
    return targets + ":" + prerequisites + "\n" + removable
  }

  private static func escaped(_ path: String) -> String {
    var result = ""
    for character in path {
      switch character {
      case " ", "#", "\\", ":", "%": result += "\\" + String(character)
      case "$": result += "$$"
      default: result.append(character)
      }
    }
    return result
  }
}
