/// What was read, in the syntax that make, CMake and ninja include.
package enum DependencyFile {
  /// - Parameters:
  ///   - path: the file itself, the one target. It is written with every run, also when no output has to be, and so is what a
  ///     build compares the inputs with; ninja refuses targets that it was not told of before.
  ///   - inputs: files that were read, and the folders that they were looked for in: a folder becomes newer when a file is
  ///     added or removed.
  package static func text(for path: String, inputs: [String]) -> String {
    let prerequisites = inputs.map { " \\\n  " + escaped($0, isTarget: false) }.joined()
    // A target without a rule for every input: a file that was removed is no error, it makes its outputs outdated.
    let removable = inputs.map { "\n" + escaped($0, isTarget: true) + ":\n" }.joined()
    return escaped(path, isTarget: true) + ":" + prerequisites + "\n" + removable
  }

  /// What GNU make and ninja read alike: a backslash counts only before a character that it escapes, and is doubled there.
  /// A `%` stands for itself, but not in make's targets.
  private static func escaped(_ path: String, isTarget: Bool) -> String {
    var result = ""
    var backslashes = 0
    for scalar in path.unicodeScalars {
      switch scalar {
      case "\\":
        backslashes += 1
        result.unicodeScalars.append(scalar)
        continue
      case " ", "#", ":":
        result += String(repeating: "\\", count: backslashes + 1) + String(scalar)
      case "%" where isTarget: result += "\\%"
      case "$": result += "$$"
      default: result.unicodeScalars.append(scalar)
      }
      backslashes = 0
    }
    return result
  }
}
