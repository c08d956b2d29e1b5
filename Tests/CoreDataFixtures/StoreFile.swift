import Foundation
import StrataSQLite

/// A store as Core Data writes it: companies with their staff in order, people, of whom employees are some, tags and friends.
package enum StoreFile {
  /// The tables and rows, by hand.
  private static let script = """
    CREATE TABLE ZCOMPANY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER, ZSALARY INTEGER,
      ZCOMPANY INTEGER, Z_FOK_COMPANY INTEGER, ZBOSS INTEGER, Z2_BOSS INTEGER, ZBIRTHDAY TIMESTAMP, ZRATE FLOAT,
      ZSCORE DECIMAL, ZNAME VARCHAR, ZNOTE VARCHAR, ZNOTE1 VARCHAR, ZSITE VARCHAR, ZPHOTO BLOB, ZSETTINGS BLOB, ZTOKEN BLOB);
    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR);
    CREATE UNIQUE INDEX Z_Tag_UNIQUE_label ON ZTAG (ZLABEL COLLATE BINARY ASC);
    CREATE TABLE Z_2TAGS (Z_2PEOPLE INTEGER, Z_5TAGS INTEGER, PRIMARY KEY (Z_2PEOPLE, Z_5TAGS));
    CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY);
    INSERT INTO ATRANSACTION VALUES (1);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Company', 0, 2), (2, 'Person', 0, 14), (3, 'Employee', 2, 0),
      (4, 'Guest', 2, 0), (5, 'Tag', 0, 3);
    INSERT INTO ZCOMPANY VALUES (1, 1, 1, 'Acme'), (2, 1, 1, NULL);
    INSERT INTO ZTAG VALUES (1, 5, 1, 'red'), (3, 5, 1, 'blue');
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZCOMPANY, Z_FOK_COMPANY, ZFLAG, ZBIRTHDAY, ZRATE, ZSCORE, ZSITE, ZTOKEN) VALUES
      (1, 2, 'Ada', 1, 3072, 1, 12.5, 0.5, 1.25, 'https://example.com/a', x'000102030405060708090A0B0C0D0E0F'),
      (2, 2, 'Grace', 1, 2048, 0, 7, 3, '12345678901234567890.5', NULL, NULL);
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZCOMPANY, Z_FOK_COMPANY, ZSALARY, ZBOSS, Z2_BOSS, ZNOTE, ZFLAG, ZPHOTO) VALUES
      (10, 3, 'Edsger', 1, 1024, 70000, 14, 3, 'quiet', 0, x'01FFD8'),
      (14, 3, 'Barbara', NULL, NULL, 80000, 1, 2, NULL, 0, CAST(x'02' || '30084A1C-76CF-4976-8312-8E8EFCF6F510' || x'00' AS BLOB));
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZNOTE1, ZFLAG, ZBOSS, ZSETTINGS) VALUES (5, 4, 'Guest', 'late', 1, NULL, x'62706C');
    INSERT INTO Z_2TAGS VALUES (1, 3), (1, 1), (10, 1);
    INSERT INTO Z_2FRIENDS VALUES (1, 2), (14, 1);
    """

  /// Writes `Shop.sqlite`, and beside it the file of a large value.
  ///
  /// - Parameters:
  ///   - folder: where both stand.
  ///   - changes: statements that make another store of it.
  ///   - model: what stands in Z_MODELCACHE; nil for nothing.
  /// - Returns: the store's path.
  package static func write(
    in folder: String, changes: String = "",
    model: [UInt8]? = StoreModel.archive(StoreModel.entities)
  ) throws -> String {
    let path = folder + "/Shop.sqlite"
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    try database.executeScript(script)
    try database.execute(
      "INSERT INTO Z_METADATA VALUES (1, 'E8AFD1EB-9427-4A64-ABDA-AA06F7B1092C', ?)",
      .blob(
        PropertyListBytes.write(
          .dictionary([
            ("NSStoreType", .string("SQLite")),
            ("NSStoreModelVersionIdentifiers", .array([.string("7")])),
            ("lastUser", .string("Zoë")),
          ]))))
    if let model { try database.execute("INSERT INTO Z_MODELCACHE VALUES (?)", .blob(model)) }
    try database.executeScript(changes)
    let files = folder + "/.Shop_SUPPORT/_EXTERNAL_DATA"
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(
      to: URL(fileURLWithPath: files + "/30084A1C-76CF-4976-8312-8E8EFCF6F510"))
    return path
  }
}
