/// Ends a wrong program with a sentence on the standard error stream, in debug and in release builds.
///
/// `preconditionFailure` leaves its sentence out of optimised code; `fatalError` does not.
@inline(never) func misuse(_ sentence: String) -> Never { fatalError(sentence) }

/// Ends a wrong program unless it keeps a condition. The sentence is made only when it does not.
@inline(__always) func checkUse(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { misuse(sentence()) }
}
