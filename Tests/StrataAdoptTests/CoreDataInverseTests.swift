import StrataAdopt
import StrataSchema
import Testing

@testable import StrataCLI

/// A relationship is stored once where everything that its other side says stands in it, also where sub-entities make its links `any`.
@Suite("Inverses in Core Data models with sub-entities")
struct CoreDataInverseTests {
  private func adopt(_ entities: String) throws -> (AdoptedHistory, Schema) {
    let fixture = try AdoptFixture.coreData(["Shop": entities])
    let history = try fixture.coreData()
    return (history, try #require(try history.compiled().first))
  }

  /// `name->Destination.inverse` and what else is said of it.
  private func link(
    _ name: String, _ destination: String, _ inverse: String, many: Bool = false,
    rule: String = "Nullify", ordered: Bool = false
  ) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" \(many ? "toMany=\"YES\"" : "maxCount=\"1\"")"
      + (ordered ? " ordered=\"YES\"" : "")
      + " deletionRule=\"\(rule)\" destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\"/>"
  }

  private func messages(_ chat: String, _ message: String, _ more: String = "") -> String {
    """
    <entity name="Chat">\(chat)</entity>
    <entity name="Message" isAbstract="YES">\(message)</entity>
    <entity name="Image" parentEntity="Message"/>
    <entity name="Text" parentEntity="Message"/>
    \(more)
    """
  }

  @Test(
    "Links that sub-entities inherit are stored, with their rule; a property for each model is computed from them"
  )
  func computedFromEachModel() throws {
    let (history, schema) = try adopt(
      messages(
        link("messages", "Message", "chat", many: true, rule: "Cascade"),
        link("chat", "Chat", "messages")))
    #expect(schema.spelling("Text", "chat") == "Chat? cascade")
    #expect(schema.spelling("Image", "chat") == "Chat? cascade")
    #expect(schema.spelling("Chat", "messages") == nil)
    #expect(schema.spelling("Chat", "messagesOfImage") == "inverse Image.chat")
    #expect(schema.spelling("Chat", "messagesOfText") == "inverse Text.chat")
    #expect(
      history.reasons("Chat", "messages") == [
        "it is computed from Message.chat, a property for each model that has it: messagesOfImage, messagesOfText"
      ])
    #expect(history.reasons("Message", "chat") == [])
  }

  @Test("A name that is taken gets a number, and one model alone keeps the name")
  func names() throws {
    let (_, schema) = try adopt(
      messages(
        link("messages", "Message", "chat", many: true)
          + "<attribute name=\"messagesOfText\" optional=\"YES\" attributeType=\"String\"/>",
        link("chat", "Chat", "messages")))
    #expect(schema.spelling("Chat", "messagesOfText") == "string?")
    #expect(schema.spelling("Chat", "messagesOfText2") == "inverse Text.chat")
    let (history, single) = try adopt(
      """
      <entity name="Chat">\(link("messages", "Message", "chat", many: true))</entity>
      <entity name="Message" isAbstract="YES">\(link("chat", "Chat", "messages"))</entity>
      <entity name="Text" parentEntity="Message"/>
      """)
    #expect(single.spelling("Chat", "messages") == "inverse Text.chat")
    #expect(
      history.reasons("Chat", "messages") == [
        "it is computed from Message.chat of Text, the one model that has it"
      ])
  }

  @Test(
    "Where the link is of type any, it alone is stored, and the other side is named as left out")
  func anyLinks() throws {
    let (history, schema) = try adopt(
      messages(
        "",
        link("reactions", "Reaction", "message", many: true, rule: "Cascade")
          + link("replies", "Message", "quote", many: true) + link("quote", "Message", "replies"),
        "<entity name=\"Reaction\">\(link("message", "Message", "reactions"))</entity>"))
    #expect(schema.spelling("Reaction", "message") == "any?")
    #expect(schema.spelling("Text", "quote") == "any?")
    #expect(schema.spelling("Text", "reactions") == nil)
    #expect(schema.spelling("Text", "replies") == nil)
    #expect(
      history.reasons("Message", "reactions") == [
        "it is stored once, as its inverse: look for objects whose Reaction.message is the object. The inverse is of type any, from which nothing is computed"
      ])
    #expect(history.reasons("Message", "replies").count == 1)
    #expect(
      history.reasons("Reaction", "message") == [
        "it is of type any: 'Message' has sub-entities, and a link leads to one model",
        "the inverse's delete rule Cascade is not kept: only stored, typed links have one",
      ])
  }

  @Test(
    "Of two unordered sides the one with typed links is stored, and one of two with links of type any"
  )
  func manyToMany() throws {
    let (_, schema) = try adopt(
      messages(
        link("missed", "Message", "missing", many: true),
        link("missing", "Chat", "missed", many: true) + link("a", "Message", "b", many: true)
          + link("b", "Message", "a", many: true)))
    #expect(schema.spelling("Text", "missing") == "set<Chat>")
    #expect(schema.spelling("Chat", "missedOfText") == "inverse Text.missing")
    #expect(schema.spelling("Text", "a") == "set<any>")
    #expect(schema.spelling("Text", "b") == nil)
  }

  @Test(
    "An ordered side has what its inverse has not, and the inverse its rule: both are stored, and said to be"
  )
  func ordered() throws {
    let (history, schema) = try adopt(
      messages(
        link("messages", "Message", "chat", many: true, rule: "Cascade", ordered: true),
        link("chat", "Chat", "messages")))
    #expect(schema.spelling("Chat", "messages") == "[any]")
    #expect(schema.spelling("Text", "chat") == "Chat? cascade")
    #expect(
      history.reasons("Chat", "messages").contains(
        "both sides are stored: changing it does not change its inverse Message.chat"))
  }
}
