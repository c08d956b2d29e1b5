/// Which names can be declared.
package enum Names {
  /// In UTF-8 bytes, what every database and tool can still show.
  package static let maximumLength = 63

  /// Whether the name is an identifier by Unicode's rules (UAX 31), which are Swift's without its emoji.
  package static func isIdentifier(_ name: String) -> Bool {
    var isFirst = true
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        break
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isFirst { return false }
      case 0x80...: return isUnicodeIdentifier(name)
      default: return false
      }
      isFirst = false
    }
    return !isFirst && name != "_"
  }

  private static func isUnicodeIdentifier(_ name: String) -> Bool {
    var isFirst = true
    for scalar in name.unicodeScalars {
      let properties = scalar.properties
      guard isFirst ? properties.isXIDStart || scalar == "_" : properties.isXIDContinue else {
        return false
      }
      isFirst = false
    }
    return true
  }

  /// A near identifier, for a fix-it: what cannot stay becomes an underscore. Nil where nothing is left.
  package static func identifier(near name: String) -> String? {
    var result = ""
    var wantsUpper = false
    for scalar in name.unicodeScalars {
      if scalar == "-" || scalar == " " || scalar == "." {
        wantsUpper = !result.isEmpty
      } else if scalar.properties.isXIDContinue || scalar == "_" {
        result += wantsUpper ? scalar.properties.uppercaseMapping : String(scalar)
        wantsUpper = false
      }
    }
    if let first = result.unicodeScalars.first, !first.properties.isXIDStart {
      result = "_" + result
    }
    return isIdentifier(result) ? result : nil
  }

  /// Equal for names that differ only in case or normalisation: strings are compared by canonical
  /// equivalence, so that folding the case is all there is to do.
  package static func folded(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    return name.uppercased().lowercased()
  }

  /// Why the store keeps a name to itself, or nil.
  package static func storeReservation(_ name: String) -> String? {
    guard let first = name.utf8.first,
      first == UInt8(ascii: "_") || first | 0x20 == UInt8(ascii: "s")
    else { return nil }
    if ["_row", "_owner", "_index"].contains(name.lowercased()) {
      return "'\(name)' is a column of every table"
    }
    for prefix in ["sqlite_", "_strata"] where name.lowercased().hasPrefix(prefix) {
      return "names that begin with '\(prefix)' belong to the database file itself"
    }
    return nil
  }

  /// Whether a collection of this name cannot be stored in a model with a primary key: its table would be called as the index of
  /// the key, and SQLite keeps tables and indexes in one scope, in which it folds the case of ASCII alone.
  package static func isOfKeyIndex(_ name: String) -> Bool {
    name.utf8.elementsEqual("primaryKey".utf8) { byte, expected in
      byte | 0x20 == expected | 0x20
    }
  }

  /// Words that mean something else wherever a member or a type is named, even in backticks or at least to
  /// a reader. Swift's other keywords are fine: generated code puts them in backticks.
  package static let traps: Set<String> = ["Any", "Protocol", "Self", "Type", "init", "self"]

  /// What instances of every generated class already have.
  private static let objectMembers: Set<String> = [
    "customMirror", "debugDescription", "description", "detached", "freeze", "_generatedCell",
    "_generatedModel", "_generatedFallback", "_generatedSet", "_generatedValue", "hash",
    "hashValue",
    "isEqual", "isFrozen", "isInvalidated", "isSameObject", "linkingObjects", "objectSchema",
    "observe", "store", "thaw",
  ]

  /// Modules by which generated code tells a type from something of the same name.
  private static let moduleNames: Set<String> = [
    "Foundation", "FoundationEssentials", "Strata", "Swift",
  ]

  /// What `ID` means within each generated class, which is `Identifiable`. The types of frozen versions are not.
  static let identityType = "ID"

  /// Modules that generated code names, the types without which no Swift can be written, what `Identifiable` makes of `ID`, and the
  /// member of a schema's type among which its classes are listed. Other types are named with their module where a model hides them.
  package static let typeNames = moduleNames.union([
    "Bool", "Double", "Float", "Int", "Int16", "Int32", "Int64", "Int8", "Optional", "String",
    "definition", identityType,
  ])

  /// What no property of a class can be called in Swift, apart from `traps`.
  package static let memberNames = objectMembers.union(moduleNames)

  static let reservedMembers = traps.union(memberNames)
  static let reservedTypes = traps.union(typeNames)

  /// What cannot be the name of a case: what the type of every enum has already.
  package static let reservedCases = traps.union([
    "RawValue", "allCases", "_generatedFallback", "_generatedRead", "_generatedValue",
  ])
}
