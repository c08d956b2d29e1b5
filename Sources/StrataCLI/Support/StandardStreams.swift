#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The process's standard input, output and error.
enum StandardStreams {
  /// Opens those that the process was started without, before anything else is opened.
  ///
  /// A file takes the lowest number that is free: what is printed would be written into the journal of a run, and a pipe to another
  /// process would be taken for its input. Writing stays an error, because a command that cannot print its result has failed.
  static func openMissing() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
