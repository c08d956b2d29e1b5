import ArgumentParser

/// A command that changes files. Where its answer cannot be printed it says that its work is done all the same, because an import that is
/// run again stores its objects twice.
protocol FileChanging: ParsableCommand {
  /// Whether its options ask for a change and not for a look.
  var changesFiles: Bool { get }
}

extension FileChanging {
  var changesFiles: Bool { true }
}

extension CreateCommand: FileChanging {}
extension ImportCommand: FileChanging {}
extension InitCommand: FileChanging {}
extension RekeyCommand: FileChanging {}
extension SalvageCommand: FileChanging {}

extension AdoptCommand: FileChanging {
  var changesFiles: Bool { !dryRun }
}

extension CheckCommand: FileChanging {
  var changesFiles: Bool { fix }
}

extension DocsCommand: FileChanging {
  var changesFiles: Bool { output != nil }
}

extension DowngradeCommand: FileChanging {
  var changesFiles: Bool { !dryRun }
}

extension FormatCommand: FileChanging {
  var changesFiles: Bool { !check }
}

extension FreezeCommand: FileChanging {
  var changesFiles: Bool { !dryRun }
}

extension GenerateCommand: FileChanging {
  var changesFiles: Bool { !check }
}

extension MigrateCommand: FileChanging {
  var changesFiles: Bool { !dryRun }
}
