package import StrataSource
import StrataYAML

/// Reads a `strata.yaml`.
///
/// ```yaml
/// schemas: Sources/Models        # default: schemas
/// migrations: Sources/Migrations # default: migrations
/// generate: { access: internal, imports: [Money] }
/// rules: { index-removed: error }
/// baseline: git:origin/main
/// supports: 3                    # the oldest version that files may have
/// limits: { disk: 2.5x, blockObjects: 20000 } # what an upgrade of a sample may cost; disk also as 500 MB
/// ```
package enum SettingsReader {
  package static let keys = [
    "schemas", "migrations", "generate", "rules", "baseline", "supports", "limits",
  ]

  /// What the file says; what is wrong is reported and left out.
  package static func read(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> Settings {
    var settings = Settings()
    settings.source = file
    guard let document = YAMLComposer.compose(file, reporting: &diagnostics),
      let root = document.root, !root.isNull, !root.isRefused
    else { return settings }
    var reader = NodeReader(file: file, diagnostics: diagnostics)
    defer { diagnostics = reader.diagnostics }
    guard case .mapping(let entries, _) = root.content else {
      reader.report(
        DeclarationDiagnostic.wrongKind, "settings are a mapping, and this is \(root.kindName)",
        at: root.range, help: "it has the keys \(keys.joined(separator: ", "))")
      return settings
    }
    for entry in entries {
      if let reference = Settings.Reference(rawValue: entry.key) {
        settings.referenceSpans[reference] = file.span(entry.value.range)
      }
      switch entry.key {
      case "schemas": settings.schemas = reader.text(entry, expected: "a folder")?.value
      case "migrations": settings.migrations = reader.text(entry, expected: "a folder")?.value
      case "baseline":
        settings.baseline = reader.text(entry, expected: "a version, as v3, or git:REV")?.value
      case "supports":
        guard let number = entry.value.scalar.flatMap({ Int($0.text) }), number >= 0 else {
          reader.wrongKind(entry, expected: "the number of a version")
          continue
        }
        settings.supports = number
        settings.supportsSpan = file.span(entry.value.range)
      case "generate": readGeneration(entry, into: &settings, &reader)
      case "rules": readRules(entry, into: &settings, &reader)
      case "limits": readLimits(entry, into: &settings, &reader)
      default: reader.unknownKey(entry, of: Settings.fileName, known: keys)
      }
    }
    return settings
  }

  private static func readGeneration(
    _ entry: YAMLEntry, into settings: inout Settings, _ reader: inout NodeReader
  ) {
    for entry in reader.entries(entry, of: "for each option") ?? [] {
      switch entry.key {
      case "access":
        settings.generation.access = reader.word(entry, as: Settings.Access.self)?.value
      case "imports":
        for node in reader.elements(entry, expected: "a list of modules") ?? [] {
          let name = node.scalar?.text ?? ""
          if Names.isIdentifier(name) {
            settings.generation.imports.append(name)
          } else if !node.isRefused {
            reader.report(
              DeclarationDiagnostic.nameInvalid, "\(node.kindName) is no name of a module",
              at: node.range)
          }
        }
      default: reader.unknownKey(entry, of: "'generate'", known: ["access", "imports"])
      }
    }
  }

  private static func readRules(
    _ entry: YAMLEntry, into settings: inout Settings, _ reader: inout NodeReader
  ) {
    for entry in reader.entries(entry, of: "for each rule") ?? [] {
      guard let severity = reader.word(entry, as: Settings.RuleSeverity.self) else { continue }
      settings.rules[entry.key] = severity.value
      settings.ruleSpans[entry.key] = reader.file.span(entry.keyRange)
    }
  }

  private static func readLimits(
    _ entry: YAMLEntry, into settings: inout Settings, _ reader: inout NodeReader
  ) {
    for entry in reader.entries(entry, of: "for each limit") ?? [] {
      let text = entry.value.scalar?.text ?? ""
      switch entry.key {
      case "disk":
        settings.limits.disk = Settings.Limits.Disk(text)
        if settings.limits.disk == nil {
          reader.wrongKind(entry, expected: "a size such as 500 MB, or a multiple such as 2.5x")
        }
      case "blockObjects":
        settings.limits.blockObjects = Int(text).flatMap { $0 >= 0 ? $0 : nil }
        if settings.limits.blockObjects == nil {
          reader.wrongKind(entry, expected: "a number of objects")
        }
      default:
        reader.unknownKey(entry, of: "'limits'", known: ["disk", "blockObjects"])
      }
    }
  }
}

extension Settings.Limits.Disk {
  private static let units: [(name: String, bytes: Double)] = [
    ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1), ("", 1),
  ]
  /// More bytes than any disk has.
  private static let maximumBytes = 1e15

  /// `500 MB`, `1.5GB`, `4096`, or `2.5x` the file.
  init?(_ text: String) {
    guard text.utf8.first.map({ (48...57).contains($0) }) == true else { return nil }
    if text.hasSuffix("x"), let times = Double(text.dropLast()), times.isFinite {
      self = .times(times)
      return
    }
    for unit in Self.units where text.hasSuffix(unit.name) {
      var number = text.dropLast(unit.name.count)
      if number.hasSuffix(" ") { number.removeLast() }
      guard let value = Double(number), value * unit.bytes <= Self.maximumBytes else { return nil }
      self = .bytes(Int(value * unit.bytes))
      return
    }
    return nil
  }
}
