#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a program prints, logs or dumps of a configuration has neither its key nor its passphrase: logs are in the clear.
extension Store.Configuration: CustomStringConvertible, CustomReflectable {
  private var isEncrypted: Bool { encryptionKey != nil || passphrase != nil }

  public var description: String {
    let place = inMemoryIdentifier.map { "in memory: \($0)" } ?? fileURL?.path ?? "no file"
    let words = [place, isEncrypted ? "encrypted" : nil, readOnly ? "read-only" : nil]
    return "Store.Configuration(\(words.compactMap(\.self).joined(separator: ", ")))"
  }

  /// All properties but the key and the passphrase, in whose place stands whether there is one.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "fileURL": fileURL as Any, "inMemoryIdentifier": inMemoryIdentifier as Any,
      "readOnly": readOnly, "schema": schema as Any, "migrations": migrations as Any,
      "migrationBlock": migrationBlock as Any, "keepsOldFile": keepsOldFile as Any,
      "upgradeProgress": upgradeProgress as Any, "busyTimeout": busyTimeout,
      "isEncrypted": isEncrypted, "cipher": cipher, "checksums": checksums,
      "deleteIfMigrationNeeded": deleteIfMigrationNeeded,
      "shouldCompactOnLaunch": shouldCompactOnLaunch as Any, "seedFileURL": seedFileURL as Any,
      "maximumActiveVersions": maximumActiveVersions as Any,
      "fileProtection": fileProtection as Any,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
