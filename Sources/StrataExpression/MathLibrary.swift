// `rounded` of the standard library calls the C library's mathematics on Linux, and importing it is what
// links it into programs that have no Foundation.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
