/// What was read for which outputs, in the syntax that make, CMake and ninja include.
package enum DependencyFile {
  /// - Parameters:
  ///   - path: the file itself. It is written with every run, also when no output has to be, and so is what a Makefile
  ///     compares the inputs with.
  ///   - inputs: files that were read, and the folders that they were looked for in: a folder becomes newer when a file is
  ///     added or removed.
  package static func text(for path: String, outputs: [String], inputs: [String]) -> String {
    let targets = ([path] + outputs).map(escaped).joined(separator: " ")
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
