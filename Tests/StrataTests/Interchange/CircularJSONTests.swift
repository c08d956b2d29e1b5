import Foundation
import Strata
import StrataTestModels
import Testing

/// What `json()` writes of objects that lead back to themselves is read again by each reader.
@Suite struct CircularJSONTests {
  let test: TestStore
  let folder: Folder
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    folder = Folder(id: 1, cover: Node(name: "c"), others: [Folder(id: 2)])
    folder.others[0].others.append(folder)
    _ = try test.added(folder)
  }

  @Test(arguments: [UpdatePolicy.error, .modified, .all])
  func byCreate(update: UpdatePolicy) throws {
    let other = try TestStore()
    let text = folder.json()
    let created = try other.store.write {
      try other.store.create(Folder.self, json: text, update: update)
    }

    #expect(created.others[0].others[0] == created)
    #expect(created.cover?.name == "c")
    #expect(other.store.objects(Folder.self).count == 2)
  }

  @Test func byAnInitializer() throws {
    let copy = try Folder(value: JSONSerialization.jsonObject(with: Data(folder.json().utf8)))

    #expect(copy.others[0].others[0] === copy)

    try store.write { try store.add(copy, update: .modified) }
    #expect(folder.cover?.name == "c")
    #expect(store.objects(Folder.self).count == 2)
  }

  @Test func twoThatAreSpelledOutAreAnError() throws {
    let text =
      #"{"id": 7, "others": [{"id": 8, "cover": {"name": "x"}}, {"id": 8, "cover": null}]}"#

    #expect(throws: StoreError.self) {
      try store.write { try store.create(Folder.self, json: text) }
    }
    #expect(store.objects(Folder.self).count == 2)
  }
}
