import Foundation

/// Runs a tool in a folder; where the tool fails, the plugin ends with the same exit status.
func run(_ tool: URL, _ arguments: [String], in folder: URL) throws {
  let process = Process()
  process.executableURL = tool
  process.arguments = arguments
  process.currentDirectoryURL = folder
  try process.run()
  process.waitUntilExit()
  // The command has said what is wrong; its exit status says the rest.
  if process.terminationStatus != 0 { exit(process.terminationStatus) }
}
