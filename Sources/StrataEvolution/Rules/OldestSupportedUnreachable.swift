import StrataSource

extension Rule {
  static let oldestSupportedUnreachable = Rule(
    "STR4017", "oldest-supported-unreachable", .error, .never,
    "A version that is still to be supported cannot be upgraded any more.",
    help: { _ in "restore the version and its step, or raise 'supports' in strata.yaml" },
    .history { input in
      guard let oldest = input.supports, !input.frozen.isEmpty,
        !input.frozen.contains(where: { $0.number == oldest })
      else { return [] }
      return [
        Finding(
          "files of version \(oldest) are to be supported, and there is no such frozen version",
          at: input.supportsSpan)
      ]
    })
}
