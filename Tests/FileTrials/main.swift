import Foundation
import StrataCipher

// Trials of files that need many runs, or an optimised engine; run by scripts:
//
//   FileTrials fuzz [inputs] [seed] [first]     damaged files (scripts/fuzz-files)
//   FileTrials kill [kills] [seed]              encrypted journals and logs of killed processes (scripts/kill-pages)
//   FileTrials bench [--objects N] [--runs N] [--sqlcipher "COMMAND"]    what encryption costs (scripts/bench files)
//
// `FileTrials write …` is the process that is killed.

PageCiphers.install()
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }
switch arguments.first {
case "fuzz":
  try FuzzTrial(
    count: numbers.first ?? 20_000, seed: numbers.dropFirst().first ?? 1,
    first: numbers.dropFirst(2).first ?? 0
  ).run()
case "kill": try KillTrial(count: numbers.first ?? 200, seed: numbers.dropFirst().first ?? 1).run()
case "write": try KilledWriter(Array(arguments.dropFirst())).run()
case "bench": try BenchTrial(Array(arguments.dropFirst())).run()
default:
  FileHandle.standardError.write(Data("usage: FileTrials fuzz|kill|bench [options]\n".utf8))
  exit(64)
}
