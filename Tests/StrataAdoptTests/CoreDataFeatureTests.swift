import Foundation
import StrataAdopt
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// Each thing that a Core Data model can say: adopted as it is, or a line of the report.
@Suite("What a Core Data model can say")
struct CoreDataFeatureTests {
  private func adopt(_ entities: String) throws -> (AdoptedHistory, Schema) {
    let fixture = try AdoptFixture.coreData(["Shop": entities])
    let history = try fixture.coreData()
    return (history, try #require(try history.compiled().first))
  }

  @Test(
    "Renaming identifiers are followed over several versions, of entities, attributes and links")
  func renamingChains() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="Human">
        <attribute name="title" attributeType="String"/>
        <relationship name="chief" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Human"/>
      </entity>
      """,
      // The identifier is the first name of all, or the one before: Xcode lets people write either.
      "Shop 2": """
      <entity name="Person" elementID="Human">
        <attribute name="name" attributeType="String" elementID="title"/>
        <relationship name="boss" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Person" elementID="chief"/>
      </entity>
      """,
      "Shop 3": """
      <entity name="Contact" elementID="Human">
        <attribute name="fullName" attributeType="String" elementID="name"/>
        <relationship name="lead" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Contact" elementID="chief"/>
      </entity>
      """,
      "Shop 4": """
      <entity name="Contact" elementID="Human">
        <attribute name="fullName" attributeType="String" elementID="name"/>
        <relationship name="lead" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Contact" elementID="chief"/>
      </entity>
      """,
    ])
    let history = try fixture.coreData()
    #expect(
      try history.step(2) == """
        # From version 1 to version 2.
        to: 2
        rename:
          Human: Person
          Human.chief: boss
          Human.title: name

        """)
    #expect(
      try history.step(3) == """
        # From version 2 to version 3.
        to: 3
        rename:
          Person: Contact
          Person.boss: lead
          Person.name: fullName

        """)
    #expect(try history.step(4) == nil)
    let project = try AdoptedProject(history, date: "2026-11-21")
    #expect(project.frozen.openCount == 0)
    #expect(project.findings.sorted.isEmpty)
  }

  @Test("An attribute of a parent that is renamed is renamed in all of its children")
  func inheritedRename() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="Message" isAbstract="YES"><attribute name="when" attributeType="Date"/></entity>
      <entity name="Text" parentEntity="Message"/>
      <entity name="Image" parentEntity="Message"/>
      """,
      "Shop 2": """
      <entity name="Message" isAbstract="YES"><attribute name="sent" attributeType="Date" elementID="when"/></entity>
      <entity name="Text" parentEntity="Message"/>
      <entity name="Image" parentEntity="Message"/>
      """,
    ])
    let step = try #require(try fixture.coreData().step(2))
    #expect(step.contains("  Image.when: sent\n  Text.when: sent\n"))
    #expect(!step.contains("???"))
  }

  @Test("Names that are swapped are not guessed at: the identifiers are reported")
  func swappedNames() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop":
        #"<entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="String"/></entity>"#,
      "Shop 2":
        #"<entity name="A"><attribute name="x" attributeType="String" elementID="y"/><attribute name="y" attributeType="String" elementID="x"/></entity>"#,
    ])
    let history = try fixture.coreData()
    #expect(
      history.reasons("A", "x") == [
        "its renaming identifier 'y' is not followed: it continues 'x'"
      ])
    #expect(history.reasons("A", "y").count == 1)
  }

  @Test("Every type of attribute, required and optional, with its default")
  func types() throws {
    let (history, schema) = try adopt(
      """
      <entity name="A">
        <attribute name="short" attributeType="Integer 16" defaultValueString="-7" usesScalarValueType="YES"/>
        <attribute name="medium" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="NO"/>
        <attribute name="large" attributeType="Integer 64" defaultValueString="9223372036854775807"/>
        <attribute name="rate" attributeType="Double" defaultValueString="0.1"/>
        <attribute name="ratio" attributeType="Float" defaultValueString="2.5"/>
        <attribute name="price" attributeType="Decimal" defaultValueString="10.25"/>
        <attribute name="isOn" attributeType="Boolean" defaultValueString="NO"/>
        <attribute name="isOff" optional="YES" attributeType="Boolean"/>
        <attribute name="title" optional="YES" attributeType="String" defaultValueString=""/>
        <attribute name="since" attributeType="Date" defaultDateTimeInterval="-978307200"/>
        <attribute name="bytes" attributeType="Binary"/>
        <attribute name="key" attributeType="UUID"/>
        <attribute name="home" optional="YES" attributeType="URI" defaultValueString="https://example.org"/>
        <attribute name="wrong" attributeType="Integer 16" defaultValueString="40000"/>
      </entity>
      """)
    #expect(schema.spelling("A", "short") == "int16 default int(-7)")
    #expect(schema.spelling("A", "medium") == "int32? default int(0)")
    #expect(schema.spelling("A", "large") == "int64 default int(9223372036854775807)")
    #expect(schema.spelling("A", "rate") == "double default double(0.1)")
    #expect(schema.spelling("A", "ratio") == "float default float(2.5)")
    #expect(
      schema.model(named: "A")?.property(named: "price")?.defaultValue
        == DecimalValue("10.25").map { .decimal($0) })
    #expect(schema.spelling("A", "isOn") == "bool default bool(false)")
    #expect(schema.spelling("A", "isOff") == "bool?")
    #expect(schema.spelling("A", "title") == #"string? default string("")"#)
    // 1970, which is before the reference day.
    #expect(schema.spelling("A", "since") == "date default date(-978307200.0)")
    #expect(schema.spelling("A", "bytes") == "data")
    #expect(schema.spelling("A", "key") == "uuid")
    #expect(schema.spelling("A", "home") == #"string? default string("https://example.org")"#)
    #expect(schema.spelling("A", "wrong") == "int16")
    #expect(history.reasons("A", "wrong") == ["its default '40000' is no Integer 16"])
    #expect(history.entries.map(\.note.property) == ["home", "wrong"])
  }

  @Test("Validation, derivation, archives, external storage and composites are reported")
  func reportedAttributes() throws {
    let (history, schema) = try adopt(
      """
      <entity name="A" versionHashModifier="x">
        <attribute name="age" attributeType="Integer 16" minValueString="0" maxValueString="150"/>
        <attribute name="mail" attributeType="String" regularExpressionString=".+@.+"/>
        <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="items.@count"/>
        <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData" customClassName="[String]"/>
        <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="secret" optional="YES" attributeType="String" allowsCloudEncryption="YES"/>
        <attribute name="shown" optional="YES" attributeType="String" transient="YES"/>
        <attribute name="cache" optional="YES" transient="YES"/>
        <attribute name="place" optional="YES" attributeType="Composite"/>
        <userInfo><entry key="hint" value="5"/></userInfo>
        <fetchedProperty name="others"><fetchRequest name="x" entity="A" predicateString="TRUEPREDICATE"/></fetchedProperty>
      </entity>
      <compositeAttribute name="Place"><attribute name="city" optional="YES" attributeType="String"/></compositeAttribute>
      <configuration name="Cloud"><memberEntity name="A"/></configuration>
      <fetchRequest name="all" entity="A" predicateString="TRUEPREDICATE"/>
      """)
    #expect(
      history.reasons("A", "age") == ["maxValueString = 150", "minValueString = 0"])
    #expect(history.reasons("A", "mail") == ["regularExpressionString = .+@.+"])
    #expect(
      history.reasons("A", "count") == [
        "it is derived (items.@count): it is stored, and no longer computed"
      ])
    #expect(schema.spelling("A", "count") == "int64?")
    #expect(schema.spelling("A", "tags") == "data?")
    #expect(
      history.reasons("A", "tags") == [
        "it is transformable ([String], NSSecureUnarchiveFromData), kept as the archive's bytes"
      ])
    #expect(history.reasons("A", "photo") == ["allowsExternalBinaryDataStorage = YES"])
    #expect(history.reasons("A", "secret") == ["allowsCloudEncryption = YES"])
    #expect(schema.spelling("A", "shown") == "string? ignored")
    #expect(
      history.reasons("A", "shown") == [
        "it is transient: in the class and not in the file (ignored)"
      ])
    #expect(schema.spelling("A", "cache") == "any? ignored")
    #expect(
      history.reasons("A", "place") == [
        "it is a composite attribute: write its parts as an embedded model"
      ])
    #expect(schema.spelling("A", "place") == nil)
    #expect(history.reasons("A", "others") == ["it is a fetched property"])
    #expect(
      history.reasons("A") == [
        "the fetch request 'all'", "userInfo: hint = 5", "versionHashModifier = x",
      ])
    #expect(
      history.reasons("") == [
        "<compositeAttribute> Place with city", "the configuration 'Cloud'",
      ])
  }

  @Test("Indexes and uniqueness, also over several attributes and links, and what they cannot say")
  func keys() throws {
    let (history, schema) = try adopt(
      """
      <entity name="A" representedClassName=".AObject" codeGenerationType="class">
        <attribute name="x" attributeType="String"/>
        <attribute name="y" attributeType="Date" optional="YES"/>
        <attribute name="z" attributeType="Double"/>
        <relationship name="other" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="B"/>
        <fetchIndex name="byX"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex>
        <fetchIndex name="byXY">
          <fetchIndexElement property="x" type="Binary" order="ascending"/>
          <fetchIndexElement property="y" type="Binary" order="descending"/>
        </fetchIndex>
        <fetchIndex name="byOther"><fetchIndexElement property="other" type="Binary" order="ascending"/></fetchIndex>
        <fetchIndex name="byZ"><fetchIndexElement property="z" type="Binary" order="ascending"/></fetchIndex>
        <fetchIndex name="low"><fetchIndexElement expression="lowercase:(x)" type="Binary" order="ascending"/></fetchIndex>
        <fetchIndex name="some" partialIndexPredicate="z &gt; 1"><fetchIndexElement property="y" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="x"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="y"/><constraint value="other"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="z"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="B" representedClassName="NSManagedObject"/>
      """)
    let model = try #require(schema.model(named: "A"))
    #expect(model.swiftName == "AObject")
    #expect(schema.model(named: "B")?.swiftName == nil)
    #expect(schema.spelling("A", "x") == "string unique indexed")
    #expect(schema.spelling("A", "y") == "date? indexed")
    #expect(model.indexes == [["x", "y"]])
    #expect(model.uniques == [["y", "other"]])
    #expect(
      history.reasons("A") == [
        "the index 'byXY' is ascending",
        "the index 'low': it is over an expression or spatial",
        "the index 'some' is over all objects, not only those with z > 1",
        "the index over z: its types cannot be indexed",
        "the uniqueness of z: its types cannot be unique",
      ])
  }

  @Test("Relationships of every cardinality and rule")
  func relationships() throws {
    let (history, schema) = try adopt(
      """
      <entity name="Album">
        <relationship name="artists" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Artist" inverseName="albums" inverseEntity="Artist"/>
        <relationship name="songs" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Song" inverseName="album" inverseEntity="Song"/>
        <relationship name="label" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="Label" inverseName="albums" inverseEntity="Label"/>
        <relationship name="tags" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="No Action" destinationEntity="Tag"/>
      </entity>
      <entity name="Artist">
        <relationship name="albums" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Album" inverseName="artists" inverseEntity="Album"/>
      </entity>
      <entity name="Song">
        <relationship name="album" maxCount="1" deletionRule="Nullify" destinationEntity="Album" inverseName="songs" inverseEntity="Album"/>
      </entity>
      <entity name="Label">
        <relationship name="albums" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Album" inverseName="label" inverseEntity="Album"/>
      </entity>
      <entity name="Tag"/>
      """)
    // One side of a many-to-many holds it, the other is computed.
    #expect(schema.spelling("Album", "artists") == "set<Artist>")
    #expect(schema.spelling("Artist", "albums") == "inverse Album.artists")
    #expect(schema.spelling("Album", "songs") == "[Song]")
    #expect(schema.spelling("Song", "album") == "Album cascade")
    // A label with albums cannot be deleted.
    #expect(schema.spelling("Album", "label") == "Label? deny")
    #expect(schema.spelling("Label", "albums") == "inverse Album.label")
    #expect(schema.spelling("Album", "tags") == "set<Tag>")
    #expect(
      history.reasons("Album", "tags") == [
        "its delete rule No Action is not kept: it has no inverse",
        "its maxCount 9 is not kept", "its minCount 1 is not kept",
      ])
    #expect(history.entries.map(\.note.property) == ["songs", "tags", "tags", "tags"])
  }

  @Test("The second reading finds whatever is not as the source says")
  func comparisonBites() throws {
    let fixture = try AdoptFixture.coreData([
      "Shop": """
      <entity name="A">
        <attribute name="x" attributeType="String" optional="YES"/>
        <relationship name="b" maxCount="1" optional="YES" deletionRule="Cascade" destinationEntity="B" inverseName="a" inverseEntity="B"/>
        <relationship name="many" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="B"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="B"><relationship name="a" maxCount="1" optional="YES" deletionRule="Nullify" destinationEntity="A" inverseName="b" inverseEntity="A"/></entity>
      """
    ])
    let history = try fixture.coreData()
    let facts = try CoreDataFacts(
      contentsOf: fixture.folder.appendingPathComponent(
        "Shop.xcdatamodeld/Shop.xcdatamodel/contents"))
    func differences(_ model: String, _ name: String, _ change: (inout Property) -> Void) throws
      -> [String]
    {
      let found = try #require(try history.compiled().first)
      let models = found.models.map { old in
        guard old.name == model else { return old }
        return Model(
          name: old.name, primaryKey: old.primaryKey, indexes: old.indexes, uniques: old.uniques,
          properties: old.properties.map { property in
            var property = property
            if property.name == name { change(&property) }
            return property
          })
      }
      var comparison = SourceComparison(
        history.versions[0], Schema(name: "Shop", version: 1, models: models))
      comparison.compare(facts)
      return comparison.differences
    }
    #expect(try differences("A", "x") { _ in } == [])
    #expect(try differences("A", "x") { $0.isUnique = false }.count == 1)
    #expect(try differences("A", "x") { $0.type = .value(ValueType(.scalar(.string))) }.count == 1)
    #expect(
      try differences("A", "x") { $0.type = .value(ValueType(.scalar(.data), isOptional: true)) }
        .count == 1)
    #expect(try differences("B", "a") { $0.deleteRule = .nullify }.count == 1)
    #expect(
      try differences("A", "many") { $0.type = .list(ValueType(.object("B"))) }.count == 1)
    #expect(
      try differences("A", "b") { $0.type = .set(ValueType(.object("B"))) }.count >= 1)
    #expect(try differences("A", "x") { $0.name = "z" }.count >= 1)
  }
}
