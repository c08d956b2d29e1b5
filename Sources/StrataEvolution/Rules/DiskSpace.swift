import StrataSource

extension Rule {
  static let diskSpace = Rule(
    "STR3952", "disk-space", .warning, .advice,
    "Upgrading a sample file needs more disk than there is.",
    help: { _ in "'strata migrate --output' writes to another disk" },
    .history { input in
      (input.samples ?? []).compactMap { sample in
        guard let disk = sample.disk, disk.needed > disk.free else { return nil }
        return Finding(
          "the upgrade of \(sample.file) needs \(Evidence.grouped(disk.needed)) bytes, and its disk has \(Evidence.grouped(disk.free)) left",
          at: input.versions.last?.places.version)
      }
    })
}
