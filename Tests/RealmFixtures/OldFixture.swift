/// Writes a file as Realm did before format 10: each column is a tree of its own, and a row's number is its object's identity.
package enum OldFixture {
  package static let count = 5

  package static func file(format: UInt8) -> [UInt8] {
    var writer = RealmWriter()
    let tables = [old(&writer), keys(&writer), metadata(&writer)]
    let names = writer.texts(["class_Old", "pk", "metadata"].map { Array($0.utf8) })
    let top = writer.refs([names, writer.refs(tables)])
    return writer.file(top: top, format: format)
  }

  private static func table(
    _ writer: inout RealmWriter, _ columns: [(name: String, type: Int64, attributes: Int64)],
    inner: [Int64] = [], enumKeys: [Int64] = [], roots: [Int64]
  ) -> Int64 {
    let types = writer.integers(columns.map(\.type))
    let names = writer.texts(columns.map { Array($0.name.utf8) })
    let attributes = writer.integers(columns.map(\.attributes))
    let spec = writer.refs([
      types, names, attributes, inner.isEmpty ? 0 : writer.refs(inner),
      enumKeys.isEmpty ? 0 : writer.refs(enumKeys),
    ])
    return writer.refs([spec, writer.refs(roots)])
  }

  private static func metadata(_ writer: inout RealmWriter) -> Int64 {
    table(&writer, [("version", 0, 0)], roots: [writer.integers([3])])
  }

  private static func keys(_ writer: inout RealmWriter) -> Int64 {
    table(
      &writer, [("pk_table", 2, 0), ("pk_property", 2, 0)],
      roots: [writer.texts([Array("Old".utf8)]), writer.texts([Array("id".utf8)])])
  }

  private static func old(_ writer: inout RealmWriter) -> Int64 {
    let long = Array(repeating: UInt8(ascii: "x"), count: 20)
    let element = writer.refs([
      writer.integers([0]), writer.texts([Array("!ARRAY_VALUE".utf8)]), writer.integers([16]),
    ])
    let list = writer.optionalIntegers([7, nil])
    let wrapped = writer.refs([list])
    let leaves = [writer.integers([10, 11]), writer.integers([12, 13]), writer.integers([14])]
    let children = writer.integers([0, 2])
    let roots: [Int64] = [
      writer.tree(leaves, elementsOfLeaf: 2, count: count), 0,
      writer.optionalIntegers([nil, 1, 2, nil, 4]),
      writer.joined(
        [long, nil, Array("b".utf8), [], Array("c".utf8)], trailing: 1, isOld: true),
      writer.short([Array("a".utf8), nil, [], Array("d".utf8), nil]),
      writer.optionalIntegers([nil, 1, 0, 1, nil]),
      writer.dates([(10, 5), nil, (-1, -9), (0, 0), (978_307_200, 0)]),
      writer.integers([0, 1, 2, 3, 0]),
      writer.refs([children, 0, 0, children, 0]),
      writer.refs([wrapped, 0, wrapped, 0, 0]),
      writer.integers([0, 1, 0, 1, 1]),
      writer.refs([
        writer.integers([1, 3, 3, 3, 4]), writer.blob([1, 2, 3, 4]),
      ]),
      writer.integers([0, 86_400, 5, 6, 7]),
    ]
    let keys = writer.texts([Array("red".utf8), Array("green".utf8)])
    return table(
      &writer,
      [
        ("id", 0, 1), ("count", 0, 16), ("long", 2, 16), ("short", 2, 16), ("flag", 1, 16),
        ("date", 8, 16), ("parent", 12, 0), ("children", 13, 0), ("numbers", 5, 0),
        ("colour", 3, 0), ("bytes", 4, 0), ("day", 7, 0),
      ],
      inner: [RealmWriter.tagged(0), RealmWriter.tagged(0), element], enumKeys: [keys],
      roots: roots)
  }
}
