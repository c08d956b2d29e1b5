import StrataSchema
import StrataSource

extension Rule {
  static let diskSpace = Rule(
    "STR3952", "disk-space", .warning, .advice,
    "Upgrading a sample file needs more disk than there is, or than the settings allow.",
    help: { _ in "'strata migrate --output' writes to another disk" },
    .history { input in
      (input.samples ?? []).compactMap { sample in
        guard let disk = sample.disk else { return nil }
        let needs = "the upgrade of \(sample.file) needs \(grouped(disk.needed)) bytes"
        let place = input.versions.last?.places.version
        if disk.needed > disk.free {
          return Finding(
            "\(needs), and its disk has \(grouped(disk.free)) left", at: place)
        }
        guard let limit = sample.size.flatMap({ input.limits.disk?($0) }), disk.needed > limit
        else { return nil }
        return Finding(
          "\(needs), and strata.yaml allows \(grouped(limit))", at: place)
      }
    })
}
