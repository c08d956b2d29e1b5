import StrataRealm
import StrataSchema

/// Files of all types, written by the tests.
package enum FixtureFiles {
  package static let nullable: Int64 = 16
  package static let list: Int64 = 32
  package static let dictionary: Int64 = 64
  package static let set: Int64 = 128

  package static func text(_ object: Int) -> [UInt8]? {
    object % 5 == 4 ? nil : Array("text \(object)".utf8)
  }

  package static func longText(_ object: Int) -> [UInt8]? {
    object % 7 == 6 ? nil : Array(String(repeating: "é\(object) ", count: 3 + object % 3).utf8)
  }

  package static func hugeText(_ object: Int) -> [UInt8]? {
    object % 3 == 2 ? nil : [UInt8](repeating: UInt8(97 + object % 26), count: 70 + object % 50)
  }

  /// An int of Mixed, a text, a date and a link, in turns; then a list and a dictionary.
  package static func mixed(_ objects: Range<Int>, _ writer: inout RealmWriter) -> Int64 {
    var composite: [Int64] = []
    var numbers: [Int64] = []
    var pairs: [Int64] = []
    var texts: [[UInt8]?] = []
    var refs: [Int64] = []
    for object in objects {
      switch object % 8 {
      case 0: composite.append(0)
      case 1: composite.append(Int64(object) << 8 | 1)
      case 2:
        composite.append(Int64(numbers.count) << 8 | 1 << 5 | 11)
        numbers.append(Int64(bitPattern: (Double(object) / 4).bitPattern))
      case 3:
        composite.append(Int64(texts.count) << 8 | 3 << 5 | 3)
        texts.append(Array("mixed \(object)".utf8))
      case 4:
        composite.append(Int64(pairs.count / 2) << 8 | 2 << 5 | 9)
        pairs += [Int64(object) * 1_000_000, 5]
      case 5:
        composite.append(Int64(pairs.count / 2) << 8 | 2 << 5 | 17)
        pairs += [1, 0]
      case 6:
        composite.append(Int64(refs.count) << 8 | 4 << 5 | 20)
        let inner = writer.integers([Int64(object) << 8 | 1, 2 | 1 << 8])
        refs.append(writer.refs([inner]))
      default:
        composite.append(Int64(refs.count) << 8 | 4 << 5 | 22)
        let value = writer.integers([7 << 8 | 1])
        refs.append(writer.refs([writer.texts([Array("k".utf8)]), writer.refs([value])]))
      }
    }
    return writer.refs([
      writer.integers(composite), numbers.isEmpty ? 0 : writer.integers(numbers),
      pairs.isEmpty ? 0 : writer.integers(pairs), texts.isEmpty ? 0 : writer.texts(texts),
      refs.isEmpty ? 0 : writer.refs(refs),
    ])
  }

  package static func all(count: Int = 600, clusterSize: Int = 256, hasGaps: Bool = false)
    -> RealmFixture
  {
    func each<Element>(
      _ objects: Range<Int>, _ value: (Int) -> Element
    ) -> [Element] { objects.map(value) }
    func collections(
      _ objects: Range<Int>, _ writer: inout RealmWriter,
      _ one: (inout RealmWriter, Int) -> Int64
    ) -> Int64 {
      let refs = objects.map { $0 % 3 == 0 ? 0 : one(&writer, $0) }
      return writer.refs(refs)
    }
    let columns: [FixtureClass.Column] = [
      .init(name: "id", type: 0, attributes: 1) { $0.integers(each($1) { Int64($0) - 3 }) },
      .init(name: "count", type: 0, attributes: nullable) {
        $0.optionalIntegers(each($1) { $0 % 4 == 0 ? nil : Int64($0) << 33 })
      },
      .init(name: "flag", type: 1, attributes: nullable) {
        $0.integers(each($1) { [0, 1, 3][$0 % 3] })
      },
      .init(name: "short", type: 2, attributes: nullable) { $0.texts(each($1, text)) },
      .init(name: "long", type: 2, attributes: nullable) { $0.texts(each($1, longText)) },
      .init(name: "huge", type: 2, attributes: nullable) { $0.texts(each($1, hugeText)) },
      .init(name: "bytes", type: 4, attributes: nullable) { $0.blobs(each($1, text)) },
      .init(name: "pieces", type: 4) { writer, objects in
        let refs = objects.map { object in
          writer.pieces([UInt8](repeating: UInt8(object & 255), count: 100), of: 64)
        }
        return writer.refs(refs, flags: RealmWriter.context)
      },
      .init(name: "date", type: 8, attributes: nullable) {
        $0.dates(each($1) { $0 % 6 == 5 ? nil : (Int64($0) * 1_000_003 - 5_000, $0 < 1 ? -5 : 7) })
      },
      .init(name: "float", type: 9) { $0.floats(each($1) { Float($0).bitPattern }) },
      .init(name: "double", type: 10, attributes: nullable) {
        $0.doubles(each($1) { $0 % 9 == 1 ? 0x7FF8_0000_0000_00AA : Double($0).bitPattern })
      },
      .init(name: "decimal", type: 11) {
        $0.decimals(
          each($1) { RealmDecimal(high: UInt64(6176 - 2) << 49, low: UInt64($0) * 100 + 25) })
      },
      .init(name: "object", type: 15, attributes: nullable) {
        $0.identifiers(
          each($1) { $0 % 10 == 3 ? nil : [UInt8](repeating: UInt8($0 & 255), count: 12) },
          size: 12)
      },
      .init(name: "uuid", type: 17) {
        $0.identifiers(each($1) { [UInt8](repeating: UInt8($0 & 255), count: 16) }, size: 16)
      },
      .init(name: "parent", type: 12, attributes: nullable) {
        $0.integers(each($1) { Int64($0 % 2) })
      },
      .init(name: "any", type: 6, attributes: nullable) { mixed($1, &$0) },
      .init(name: "numbers", type: 0, attributes: list) {
        collections($1, &$0) { $0.integers([Int64($1), -1]) }
      },
      .init(name: "many", type: 0, attributes: list) {
        collections($1, &$0) { writer, object in
          let leaves = (0..<3).map { leaf in writer.integers([Int64(leaf), Int64(object)]) }
          return writer.tree(leaves, elementsOfLeaf: 2, count: 6)
        }
      },
      .init(name: "links", type: 13, attributes: list, target: 0) {
        collections($1, &$0) { writer, _ in writer.integers([0, -3, 1]) }
      },
      .init(name: "names", type: 2, attributes: set) {
        collections($1, &$0) { $0.texts([Array("a".utf8), Array("b\($1)".utf8)]) }
      },
      .init(name: "scores", type: 10, attributes: dictionary) {
        collections($1, &$0) { writer, object in
          let keys = writer.texts([Array("one".utf8), Array("two".utf8)])
          let composite = writer.integers([1 << 5 | 11, 0])
          let number = Int64(bitPattern: Double(object).bitPattern)
          let values = writer.refs([composite, writer.integers([number])])
          return writer.refs([keys, values])
        }
      },
    ]
    let other = FixtureClass(
      name: "Other",
      columns: [
        .init(name: "name", type: 2) { $0.texts([Array("only".utf8)][..<$1.count].map { $0 }) }
      ],
      count: 1)
    return RealmFixture(
      classes: [
        FixtureClass(name: "All", columns: columns, count: count, primaryKey: 0), other,
      ], clusterSize: clusterSize, hasGaps: hasGaps)
  }
}
