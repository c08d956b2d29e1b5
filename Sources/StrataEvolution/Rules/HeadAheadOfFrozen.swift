import StrataSchema
import StrataSource

extension Rule {
  static let headAheadOfFrozen = Rule(
    "STR4005", "head-ahead-of-frozen", .warning, .advice,
    "The declarations differ from the newest frozen version, and no new version is open.",
    .history { input in
      guard let newest = input.newest else { return [] }
      if !input.hasDeclarations {
        return [
          Finding(
            "version \(newest.number) is frozen, and there are no declarations any more",
            at: newest.places.version, help: "restore the declarations from version control")
        ]
      }
      guard let working = input.working else { return [] }
      if working.number < newest.number {
        // As after a rebase: what is declared is the newest version, and bears its old number.
        let isSame = working.schema.hasMeaning(of: newest.schema)
        return [
          Finding(
            "the declarations say version \(working.number), and \(newest.number) is frozen",
            at: working.places.version,
            help: "write 'version: \(isSame ? newest.number : newest.number + 1)'")
        ]
      }
      guard working.number == newest.number, !working.schema.hasMeaning(of: newest.schema) else {
        return []
      }
      return [
        Finding(
          "the declarations differ from version \(newest.number), which is frozen under that number",
          at: working.places.version,
          help:
            "write 'version: \(newest.number + 1)', or 'strata freeze --amend' while version \(newest.number) is unreleased"
        )
      ]
    })
}
