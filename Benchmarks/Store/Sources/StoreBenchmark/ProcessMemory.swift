#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the process holds of the machine's memory.
enum ProcessMemory {
  /// How many kilobytes more than before the process has held at most while `body` ran. Linux can begin to count anew;
  /// elsewhere what was held before counts too.
  static func growth(_ body: () throws -> Void) rethrows -> Int {
    forgetPeak()
    let before = status("VmRSS:") ?? peak
    try body()
    return max(0, (status("VmHWM:") ?? peak) - before)
  }

  /// Kilobytes that the process has held at most since it was started, or since its peak was forgotten.
  static var peak: Int {
    if let peak = status("VmHWM:") { return peak }
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Int(usage.ru_maxrss)
    #else
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss) / 1024
    #endif
  }

  private static func forgetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func status(_ name: String) -> Int? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(name) {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Int($0) }.first
    }
    return nil
  }
}
