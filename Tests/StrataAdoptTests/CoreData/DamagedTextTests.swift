import StrataSQLite
import Testing

@testable import StrataCLI

@Suite("Texts of Core Data stores that are no UTF-8")
struct DamagedTextTests {
  @Test("A damaged text is in the database with replacement characters, and a line has its bytes")
  func attribute() throws {
    let store = try StoreFixture(
      "UPDATE ZPERSON SET ZNAME = CAST(x'416461FF' AS TEXT) WHERE Z_PK = 1;")

    try store.scratch.adopt(try CoreDataAdoption(path: store.path, model: nil, name: "App"))

    #expect(
      Array(try store.scratch.database().rows("SELECT name FROM Person WHERE _row = 101"))
        == [[.text("Ada\u{FFFD}")]])
    #expect(
      try store.scratch.text("out/LEFT-OUT.jsonl").contains(
        #"{"$id":101,"$model":"Person","property":"name","reason":"the text is no UTF-8: what is not was replaced","value":{"$data":"QWRh/w=="}}"#
      ))
  }

  @Test("So has the line of a column that no attribute has")
  func strayColumn() throws {
    let store = try StoreFixture(
      "ALTER TABLE ZPERSON ADD COLUMN ZSTRAY VARCHAR; UPDATE ZPERSON SET ZSTRAY = CAST(x'FE' AS TEXT) WHERE Z_PK = 1;"
    )

    try store.scratch.adopt(try CoreDataAdoption(path: store.path, model: nil, name: "App"))

    #expect(
      try store.scratch.text("out/LEFT-OUT.jsonl").contains(
        #"{"$id":101,"$model":"Person","property":"ZSTRAY","reason":"the store's column is of no attribute here","value":{"$data":"/g=="}}"#
      ))
  }

  @Test("And that of an order which no list of the model has")
  func strayOrder() throws {
    let store = try StoreFixture(
      "ALTER TABLE ZPERSON ADD COLUMN Z_FOK_OTHER INTEGER; UPDATE ZPERSON SET Z_FOK_OTHER = 7 WHERE Z_PK = 1;"
    )

    try store.scratch.adopt(try CoreDataAdoption(path: store.path, model: nil, name: "App"))

    #expect(
      try store.scratch.text("out/LEFT-OUT.jsonl").contains(
        #"{"$id":101,"$model":"Person","property":"Z_FOK_OTHER","reason":"the store's column is of no attribute here","value":7}"#
      ))
  }
}
