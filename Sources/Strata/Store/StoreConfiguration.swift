import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Which file a store opens, and how.
  public struct Configuration: Sendable {
    /// The file. It is created with its first opening; its folder has to be there. A URL that names no file is refused.
    public var fileURL: URL?
    /// A name for a store in memory instead of a file: stores of this process with the same name share it for as long
    /// as one of them is open.
    public var inMemoryIdentifier: String?
    /// Opens without writing; the file has to be there and at the schema's version.
    public var readOnly = false
    /// The schema, generated. Without one the file's own is used, and objects are ``DynamicObject``.
    public var schema: (any GeneratedSchema.Type)?
    /// The migrations to the schema's version, generated. A file at an older version is upgraded when it is opened.
    public var migrations: (any MigrationChain.Type)?
    /// The classic form of a migration: one block that brings a file of any older version to the schema's. It takes the place
    /// of ``migrations``; a configuration with both is refused.
    ///
    /// Without either, what continues by its name is carried over when the version is raised, as long as the file was not
    /// written by a program that had migrations.
    public var migrationBlock: MigrationBlock?
    /// Whether, and how long, the file is kept beside as it was before an upgrade, so that `Store.downgrade` can take it back; nil to
    /// keep none. Where the disk has no room for it, the file is upgraded without.
    public var keepsOldFile: OldFiles?
    /// Told how far an upgrade is; may stop it, which leaves the file as it was and the store closed.
    public var upgradeProgress: (@Sendable (UpgradeProgress) -> UpgradeControl)?
    /// How long a write waits for another process that is writing.
    public var busyTimeout: Duration = .seconds(5)
    /// The key of an encrypted file, 64 or 32 random bytes. A new file is encrypted with it; a file that has another key, or none,
    /// is not opened. Needs the package's trait `Encryption`; see docs/encryption.md.
    public var encryptionKey: Data?
    /// A text from which the key of an encrypted file is derived, instead of ``encryptionKey``. Opening takes a fraction of a second
    /// longer.
    public var passphrase: String?
    /// How a new file is encrypted, and what a file that is there has to be encrypted with.
    public var cipher = Cipher.aesGCM
    /// Whether a new file that is not encrypted gets a checksum on each page, so that a flipped bit is an error instead of another
    /// value. A file that has checksums keeps them whatever is said here; every SQLite reads it.
    public var checksums = false
    /// Deletes the file, with all of its objects, and begins anew where it would have to be upgraded, or where it is newer
    /// than the schema: with the seed, where there is one. For the time before an app is released.
    public var deleteIfMigrationNeeded = false
    /// Asked when the file is opened, with its bytes and how many of them are in use; true makes it as small as it can be.
    /// It stays as it is while another store or process has it open, and where there is no room for a second copy beside it, in its log, and in the
    /// folder for temporary files.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?
    /// A file that the first opening begins with, as one in the app's bundle. A copy of it is upgraded if need be and takes the file's
    /// place then, also with ``deleteIfMigrationNeeded``; where that fails there is no file, and the next opening tries again. A file without a
    /// byte counts as none, unless a link leads to it or a log stands beside it; the copy has its permissions.
    public var seedFileURL: URL?
    /// How many versions of the data the readers of this process may hold, this store's newest included. A write that finds more
    /// throws `StoreError.tooManyActiveVersions`, which names who holds them; nil for no limit.
    public var maximumActiveVersions: Int?
    /// How the system protects the file while the device is locked; of meaning on iOS and its relatives only.
    public var fileProtection: FileProtection?
    /// The name of a VFS that was registered with SQLite; nil for the system's.
    package var vfs: String?

    /// What is not named here is set as a property.
    public init(
      fileURL: URL? = nil, inMemoryIdentifier: String? = nil, readOnly: Bool = false,
      encryptionKey: Data? = nil, schema: (any GeneratedSchema.Type)? = nil,
      migrations: (any MigrationChain.Type)? = nil, migrationBlock: MigrationBlock? = nil,
      deleteIfMigrationNeeded: Bool = false, keepsOldFile: OldFiles? = nil,
      shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
      seedFileURL: URL? = nil, maximumActiveVersions: Int? = nil,
      fileProtection: FileProtection? = nil
    ) {
      self.fileURL = fileURL
      self.inMemoryIdentifier = inMemoryIdentifier
      self.readOnly = readOnly
      self.encryptionKey = encryptionKey
      self.schema = schema
      self.migrations = migrations
      self.migrationBlock = migrationBlock
      self.deleteIfMigrationNeeded = deleteIfMigrationNeeded
      self.keepsOldFile = keepsOldFile
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.seedFileURL = seedFileURL
      self.maximumActiveVersions = maximumActiveVersions
      self.fileProtection = fileProtection
    }

    /// A configuration of a file by its path.
    public init(
      path: String, schema: (any GeneratedSchema.Type)? = nil,
      migrations: (any MigrationChain.Type)? = nil, migrationBlock: MigrationBlock? = nil
    ) {
      self.init(
        fileURL: URL(fileURLWithPath: path), schema: schema, migrations: migrations,
        migrationBlock: migrationBlock)
    }
  }

  /// When the system lets a protected file be read.
  public enum FileProtection: String, Sendable {
    case none
    case complete
    case completeUnlessOpen
    case completeUntilFirstUserAuthentication
  }

  /// What `Store()` opens, and the convenience functions of classes.
  public static var defaultConfiguration: Configuration {
    get { sharedConfiguration.withLock { $0.configuration } }
    set { sharedConfiguration.withLock { $0 = (newValue, $0.number + 1) } }
  }

  /// The same, and which one it is of those that were set.
  static var numberedConfiguration: (configuration: Configuration, number: Int) {
    sharedConfiguration.withLock { $0 }
  }

  private static let sharedConfiguration = Mutex<(configuration: Configuration, number: Int)>(
    (Configuration(), 0))
}

extension Store.Configuration {
  /// Refuses what names no file.
  ///
  /// - Throws: `StoreError.fileAccess`
  func checkURLs() throws(StoreError) {
    guard inMemoryIdentifier == nil else { return }
    _ = try fileURL?.filePath()
    _ = try seedFileURL?.filePath()
  }

  /// The path of the file that it names.
  ///
  /// - Throws: `StoreError.fileAccess` where it names none
  func filePath() throws(StoreError) -> String {
    if inMemoryIdentifier != nil {
      throw .fileAccess(
        path: "the configuration", reason: "it is of a store in memory, which has no file")
    }
    guard let path = try fileURL?.filePath(), !path.isEmpty else { throw Self.namesNoFile }
    return path
  }

  static let namesNoFile = StoreError.fileAccess(
    path: "the configuration",
    reason: "no file is given: set its fileURL, or that of Store.defaultConfiguration")
}

extension URL {
  /// The path of the file.
  ///
  /// - Throws: `StoreError.fileAccess` for another URL, as `https://example.com/a.db` or a file of another machine, whose path would lead
  ///   to a file of this one.
  func filePath() throws(StoreError) -> String {
    let isHere = ["", "localhost"].contains((host() ?? "").lowercased())
    guard scheme == nil || isFileURL, isHere else {
      throw .fileAccess(
        path: absoluteString,
        reason:
          "this URL names no file of this machine: make one of a path, with URL(fileURLWithPath:)")
    }
    return path
  }
}
