import StrataCodegen
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The tool that the build plugin runs. Exit status 1 for findings, 3 for files that cannot be read or written, 64 for
/// wrong usage.
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--version"] {
  print("strata-codegen \(GeneratorOptions.toolVersion)")
  exit(0)
}
if arguments.isEmpty || arguments == ["--help"] {
  print(Arguments.usage, terminator: "")
  exit(arguments.isEmpty ? 64 : 0)
}

do throws(Arguments.Failure) {
  exit(Generation(try Arguments(arguments)).run())
} catch {
  StandardError.write("error: \(error.message)\n\n\(Arguments.usage)")
  exit(64)
}
