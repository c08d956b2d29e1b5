import StrataEvolution
import Testing

@Suite("Entries that go from a step's text")
struct EntryRemovalTests {
  /// The text without what stands between `<` and `>`.
  private func removed(_ text: String) -> String {
    var bytes: [UInt8] = []
    var ranges: [Range<Int>] = []
    var start = 0
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): start = bytes.count
      case UInt8(ascii: ">"): ranges.append(start..<bytes.count)
      default: bytes.append(byte)
      }
    }
    return String(decoding: EntryRemoval.text(bytes, without: ranges), as: UTF8.self)
  }

  @Test(
    "Of a flow, with one comma",
    arguments: [
      ("drop: [<P.a>]\n", "drop: []\n"),
      ("drop: [<P.a>, P.b]\n", "drop: [P.b]\n"),
      ("drop: [P.a, <P.b>]\n", "drop: [P.a]\n"),
      ("drop: [<P.a>, P.b, <P.c>]\n", "drop: [P.b]\n"),
      ("rename: { <P.a: c>, P.b: d }\n", "rename: { P.b: d }\n"),
      ("rename:\n  { P.b: d,\n    <P.a: c> }\n", "rename:\n  { P.b: d }\n"),
      ("rename:\r\n  { P.b: d,\r\n    <P.a: c> }\r\n", "rename:\r\n  { P.b: d }\r\n"),
    ])
  func flow(text: String, expected: String) {
    #expect(removed(text) == expected)
  }

  @Test(
    "Of lines, with its comments, and with a key that is left without any",
    arguments: [
      ("to: 1\nrename:\n  <P.a: c>\n", "to: 1\n"),
      ("to: 1\nrename:\n  <P.a: c>\n  P.b: d\n", "to: 1\nrename:\n  P.b: d\n"),
      ("to: 1\nrename:\n  P.b: d\n  <P.a: c>\ndrop: []\n", "to: 1\nrename:\n  P.b: d\ndrop: []\n"),
      ("to: 1\nrename:\n  # why\n  <P.a: c>  # that\n  P.b: d\n", "to: 1\nrename:\n  P.b: d\n"),
      ("to: 1\ndrop:\n  - <P.a>\n  - P.b\n", "to: 1\ndrop:\n  - P.b\n"),
      ("to: 1\ndrop:\n- <P.a>\n- P.b\n", "to: 1\ndrop:\n- P.b\n"),
      ("drop:\n- <P.a>\nto: 1\n", "to: 1\n"),
      ("to: 1\nset:\n  P:\n    <c: old.a>\ndrop: [P.b]\n", "to: 1\ndrop: [P.b]\n"),
      ("to: 1\nset:\n  P:\n    <c: old.a>\n  Q:\n    d: 1\n", "to: 1\nset:\n  Q:\n    d: 1\n"),
      ("to: 1\nset:\n  P:\n    <c: |\n      old.a>\n    d: 1\n", "to: 1\nset:\n  P:\n    d: 1\n"),
      ("to: 1\nrename:\n  <P.a: c>", "to: 1\n"),
      ("to: 1\ndrop:  # gone\n  - <P.a>\n", "to: 1\n"),
      ("to: 1\ndrop: \n  - <P.a>\n", "to: 1\n"),
      ("to: 1\r\ndrop:\r\n  - <P.a>\r\n", "to: 1\r\n"),
      (
        "to: 1\r\ndrop:\r\n  - <P.a>\r\n\r\n  - P.b\r\n",
        "to: 1\r\ndrop:\r\n\r\n  - P.b\r\n"
      ),
      ("to: 1\ndrop:\n# why\n\n  - <P.a>\n", "to: 1\n"),
      ("to: 1\ndrop:\n  - <P.a>\n# why\n  - P.b\n", "to: 1\ndrop:\n# why\n  - P.b\n"),
      ("drop:\n  - <P.a>\n# to what\nto: 1\n", "# to what\nto: 1\n"),
      ("drop: # a: b\n- <P.a>\nto: 1\n", "to: 1\n"),
      ("to: 1\n# the drop:\nset:\n  <P: '#'>\n", "to: 1\n# the drop:\n"),
    ])
  func lines(text: String, expected: String) {
    #expect(removed(text) == expected)
  }
}
