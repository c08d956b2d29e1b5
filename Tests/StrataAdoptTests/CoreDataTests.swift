import Foundation
import StrataAdopt
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

@Suite("Core Data")
struct CoreDataTests {
  @Test("Attributes keep name, type, optionality and default")
  func attributes() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="Item" representedClassName="ItemObject">
        <attribute name="count" attributeType="Integer 16" defaultValueString="3"/>
        <attribute name="total" attributeType="Integer 64" optional="YES"/>
        <attribute name="price" attributeType="Decimal" defaultValueString="1.50"/>
        <attribute name="isNew" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="name" attributeType="String" defaultValueString="a &amp; &quot;b&quot;" indexed="YES"/>
        <attribute name="made" attributeType="Date" defaultDateTimeInterval="86400"/>
        <attribute name="image" attributeType="Binary" optional="YES" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="link" attributeType="URI" optional="YES"/>
        <attribute name="tags" attributeType="Transformable" optional="YES" customClassName="[String]"/>
        <attribute name="shown" attributeType="String" optional="YES" transient="YES"/>
        <attribute name="store" attributeType="String"/>
        <fetchedProperty name="others"><fetchRequest name="x" entity="Item"/></fetchedProperty>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="made"/><constraint value="store"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      """
    ])
    let history = try fixture.coreData()
    let schema = try #require(try history.compiled().first)
    #expect(schema.name == "Shop")
    #expect(schema.model(named: "Item")?.swiftName == "ItemObject")
    #expect(schema.spelling("Item", "count") == "int16 default int(3)")
    #expect(schema.spelling("Item", "total") == "int64?")
    #expect(
      schema.model(named: "Item")?.property(named: "price")?.defaultValue
        == DecimalValue("1.50").map { .decimal($0) })
    #expect(schema.spelling("Item", "isNew") == "bool default bool(true)")
    #expect(
      schema.spelling("Item", "name") == #"string default string("a & \"b\"") unique indexed"#)
    #expect(schema.spelling("Item", "made") == "date default date(86400.0)")
    #expect(schema.spelling("Item", "image") == "data?")
    #expect(schema.spelling("Item", "tags") == "data?")
    #expect(schema.spelling("Item", "shown") == "string? ignored")
    #expect(schema.model(named: "Item")?.uniques == [["made", "store"]])
    #expect(schema.model(named: "Item")?.property(named: "store")?.swiftName == "storeValue")
    #expect(
      history.reasons("Item", "tags") == [
        "it is transformable ([String]), kept as the archive's bytes"
      ])
    #expect(history.reasons("Item", "others") == ["it is a fetched property"])
    #expect(history.reasons("Item", "image") == ["allowsExternalBinaryDataStorage = YES"])
    #expect(history.reasons("Item", "link") == ["it is a URI, kept as its text"])
  }

  @Test(
    "A relationship and its inverse are a link and what is computed from it; rules stand at the other side"
  )
  func relationships() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="Order">
        <relationship name="items" toMany="YES" optional="YES" deletionRule="Cascade" destinationEntity="Item" inverseName="order" inverseEntity="Item"/>
        <relationship name="lines" toMany="YES" optional="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Line" inverseName="order" inverseEntity="Line"/>
        <relationship name="note" maxCount="1" optional="YES" deletionRule="Cascade" destinationEntity="Note" inverseName="order" inverseEntity="Note"/>
      </entity>
      <entity name="Item">
        <relationship name="order" maxCount="1" deletionRule="Nullify" destinationEntity="Order" inverseName="items" inverseEntity="Order"/>
      </entity>
      <entity name="Line">
        <relationship name="order" maxCount="1" deletionRule="Nullify" destinationEntity="Order" inverseName="lines" inverseEntity="Order"/>
      </entity>
      <entity name="Note">
        <relationship name="order" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Order" inverseName="note" inverseEntity="Order"/>
      </entity>
      """
    ])
    let history = try fixture.coreData()
    let schema = try #require(try history.compiled().first)
    #expect(schema.spelling("Order", "items") == "inverse Item.order")
    #expect(schema.spelling("Item", "order") == "Order cascade")
    #expect(schema.spelling("Order", "lines") == "[Line]")
    #expect(schema.spelling("Line", "order") == "Order deny")
    #expect(schema.spelling("Order", "note") == "Note?")
    #expect(schema.spelling("Note", "order") == "Order? cascade")
    #expect(
      history.reasons("Order", "lines") == [
        "both sides are stored: changing it does not change its inverse Line.order"
      ])
  }

  @Test("Sub-entities extend; a link to an entity that has any is of type any, and said so")
  func inheritance() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="Message" isAbstract="YES"><attribute name="sent" attributeType="Date" optional="YES"/></entity>
      <entity name="Text" parentEntity="Message"><attribute name="body" attributeType="String"/></entity>
      <entity name="Chat">
        <relationship name="last" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Message"/>
      </entity>
      """
    ])
    let history = try fixture.coreData()
    let schema = try #require(try history.compiled().first)
    #expect(schema.model(named: "Message")?.isAbstract == true)
    #expect(schema.model(named: "Text")?.extends == "Message")
    #expect(schema.spelling("Text", "sent") == "date?")
    #expect(schema.spelling("Chat", "last") == "any?")
    #expect(history.reasons("Chat", "last").count == 1)
  }

  @Test("An entity that becomes abstract goes on as the sub-entity that the step names")
  func becomesAbstract() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Message"><attribute name="text" optional="YES" attributeType="String"/></entity>"#,
      "Shop 2": """
      <entity name="Message" isAbstract="YES"/>
      <entity name="Image" parentEntity="Message"><attribute name="size" optional="YES" attributeType="Double"/></entity>
      <entity name="Text" parentEntity="Message"><attribute name="text" optional="YES" attributeType="String"/><attribute name="font" optional="YES" attributeType="Binary"/></entity>
      """,
    ])
    let history = try fixture.coreData()
    let step = try #require(try history.step(2))
    #expect(step.contains(#"Message: "??? Text""#), "\(step)")
    #expect(!step.contains("\ndrop:"))
    #expect(try AnswerTests().errors(afterPasting: history) == [])
    let dropped = try AdoptedProject(
      history, date: "2026-11-21", answers: AdoptAnswers(["gone=drop"]))
    #expect(dropped.frozen.openCount == 0)
    #expect(dropped.findings.errorCount == 0)
  }

  @Test(
    "Where several of a type go and one comes, each is a question; where none comes, they are dropped and listed"
  )
  func severalGo() throws {
    func items(_ names: String...) -> String {
      "<entity name=\"Item\">"
        + names.map {
          "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
        }.joined() + "</entity>"
    }
    let history = try AdoptFixture.coreData([
      "Shop": items("a", "b", "c"), "Shop 2": items("c", "d"), "Shop 3": items("d"),
    ]).coreData()
    let step = try #require(try history.step(2))
    #expect(step.contains(#"- "??? Item.a""#))
    #expect(step.contains(#"- "??? Item.b""#))
    #expect(try history.step(3)?.contains("- Item.c") == true)
    let project = try AdoptedProject(history, date: "2026-11-21")
    #expect(project.report().contains("| 3 | Item.c |"))
    #expect(try AnswerTests().errors(afterPasting: history) == [])
    #expect(
      try AdoptedProject(
        history, date: "2026-11-21", answers: AdoptAnswers(["gone=drop"])
      ).frozen.openCount == 0)
  }

  @Test("Renaming identifiers become renames, what was removed is dropped, the rest is a question")
  func steps() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Item"><attribute name="title" attributeType="String"/><attribute name="old" attributeType="Double"/></entity>"#,
      "Shop 2":
        #"<entity name="Item"><attribute name="name" attributeType="String" elementID="title"/></entity>"#,
      "Shop 4":
        #"<entity name="Article" elementID="Item"><attribute name="name" attributeType="String" elementID="title"/><attribute name="size" attributeType="Double"/></entity>"#,
    ])
    let history = try fixture.coreData()
    #expect(history.versions.map(\.schema.version) == [1, 2, 4])
    #expect(
      try history.step(2) == """
        # From version 1 to version 2.
        to: 2
        rename:
          Item.title: name
        drop:
          - Item.old

        """)
    let second = try #require(try history.step(4))
    #expect(second.contains("  Item: Article\n"))
    #expect(second.contains("    size: ???"))
    let project = try AdoptedProject(history, date: "2026-11-21")
    #expect(project.frozen.openCount == 1)
    #expect(project.findings.errorCount == 1)
  }

  @Test("A thing continues the one with the same renaming identifier, whatever both are called")
  func identifiersOfBothSides() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Item" elementID="Thing"><attribute name="muted" attributeType="Boolean" elementID="state"/></entity>"#,
      "Shop 2":
        #"<entity name="Thing"><attribute name="state" attributeType="Boolean"/></entity>"#,
    ])
    let history = try fixture.coreData()
    #expect(
      try history.step(2) == """
        # From version 1 to version 2.
        to: 2
        rename:
          Item: Thing
          Item.muted: state

        """)
    #expect(history.entries == [])
  }

  @Test("What is given up stands in the report, with what came at once")
  func givenUp() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Item"><attribute name="a" optional="YES" attributeType="Double"/></entity>"#,
      "Shop 2":
        #"<entity name="Item"><attribute name="c" optional="YES" attributeType="Double"/><attribute name="d" optional="YES" attributeType="Double"/></entity>"#,
    ])
    let project = try AdoptedProject(try fixture.coreData(), date: "2026-11-21")
    #expect(project.report().contains("| 2 | Item.a | c, d |\n"))
    #expect(
      project.reportLines() == [
        "1 thing that versions of the source gave up is dropped (ADOPTED.md)"
      ])
  }

  @Test("A number may have the word of a truth value as its default")
  func truthAsNumber() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Item"><attribute name="state" attributeType="Integer 32" defaultValueString="NO"/></entity>"#
    ])
    let schema = try #require(try fixture.coreData().versions.first?.schema)
    #expect(schema.spelling("Item", "state") == "int32 default int(0)")
  }

  @Test("A history may begin at a later version; its files are listed by their numbers")
  func beginsLater() throws {
    let entity = #"<entity name="A"/>"#
    let fixture = try AdoptFixture.coreData([
      "Shop": entity, "Shop 2": entity, "Shop 9": entity, "Shop 10": entity,
    ])
    let history = try AdoptedProject.beginning(try fixture.coreData(), at: 2)
    #expect(history.versions.map(\.schema.version) == [2, 9, 10])
    #expect(history.entries.map(\.note.reason) == ["version 1 is before --from 2"])
    let project = try AdoptedProject(history, date: "2026-11-21")
    #expect(
      project.files.map(\.path).filter { $0.hasPrefix("schemas/versions/") } == [
        "schemas/versions/2.yaml", "schemas/versions/9.yaml", "schemas/versions/10.yaml",
      ])
    let error = #expect(throws: CommandFailure.self) {
      try AdoptedProject.beginning(try fixture.coreData(), at: 3)
    }
    #expect(error?.message == "--from 3: there is no such version; the versions are 1, 2, 9, 10.")
  }

  @Test("Questions of one kind are answered at once; others stay")
  func answers() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="Item"><attribute name="title" attributeType="String"/></entity>"#,
      "Shop 2":
        #"<entity name="Item"><attribute name="name" attributeType="String"/><attribute name="size" attributeType="Double"/><attribute name="made" attributeType="Date"/><attribute name="count" attributeType="Integer 16"/></entity>"#,
    ])
    let history = try fixture.coreData()
    func project(_ texts: [String]) throws -> AdoptedProject {
      try AdoptedProject(history, date: "2026-11-21", answers: try AdoptAnswers(texts))
    }
    #expect(try project([]).frozen.openCount == 4)
    let zeroes = try project(["required=zero"])
    // A date has no zero.
    #expect(zeroes.openSteps.flatMap(\.open).map(\.path.description) == ["Item.made", "Item.name"])
    let step = try #require(zeroes.files.first { $0.path == "migrations/2.yaml" }?.text)
    #expect(step.contains("    count: \"0\"\n"))
    #expect(step.contains("    made: ???\n"))
    #expect(try project(["required=zero", "gone=rename"]).frozen.openCount == 1)
    let dropped = try project(["gone=drop", "required=zero"])
    #expect(dropped.findings.sorted.map(\.code) == ["STR4106"])
    #expect(dropped.frozen.steps[0].answer?.drop == [SchemaPath("Item", "title")])
    #expect(
      throws: AdoptError(
        "'size=1' is no answer; there are required=zero, gone=drop, gone=rename, duplicates=first, duplicates=last and links=lookup"
      )
    ) { try AdoptAnswers(["size=1"]) }
  }

  @Test("Numbers come from the names; where names have several, from their order")
  func numbers() throws {
    let entity = #"<entity name="A"/>"#
    let dotted = try AdoptFixture.coreData(["M": entity, "M2.9.0": entity, "M2.10.0": entity])
    #expect(try dotted.coreData().versions.map(\.name) == ["M", "M2.9.0", "M2.10.0"])
    #expect(try dotted.coreData().versions.map(\.schema.version) == [1, 2, 3])
    let gaps = try AdoptFixture.coreData(["M": entity, "M 10": entity, "M 9": entity])
    #expect(try gaps.coreData().versions.map(\.schema.version) == [1, 9, 10])
  }

  @Test(
    "What cannot be read is refused with a sentence",
    arguments: [
      ("<entity name=\"A\">", "is closed by"),
      ("<entity name=\"A\"/><entity name=\"A\"/>", "two entities 'A'"),
      ("<entity/>", "without a name"),
      ("<entity name=\"&bomb;\"/>", "there is no entity 'bomb'"),
      ("<entity name=\"A\" parentEntity=\"B\"/>", "has the parent 'B', which is not there"),
      (
        "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>",
        "or is its own"
      ),
      (
        "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>",
        "has no destination"
      ),
    ])
  func malformed(entities: String, sentence: String) throws {
    let fixture = try AdoptFixture.coreData(["Shop": entities])
    let error = #expect(throws: AdoptError.self) { try fixture.coreData() }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }

  @Test("A document type that declares entities is refused; a folder without models is none")
  func wrongFolders() throws {
    let bomb = try AdoptFixture([
      "Shop.xcdatamodeld/A.xcdatamodel/contents":
        "<!DOCTYPE m [<!ENTITY a SYSTEM \"file:///etc/hosts\">]><model>&a;</model>"
    ])
    #expect(throws: AdoptError.self) { try bomb.coreData() }
    let empty = try AdoptFixture(["Shop.xcdatamodeld/readme": ""])
    #expect(throws: AdoptError.self) { try empty.coreData() }
    let missing = try AdoptFixture(["Shop.xcdatamodeld/A.xcdatamodel/other": ""])
    #expect(throws: AdoptError.self) { try missing.coreData() }
    let truncated = try AdoptFixture(["Shop.xcdatamodeld/A.xcdatamodel/contents": "<model><ent"])
    #expect(throws: AdoptError.self) { try truncated.coreData() }
  }
}
