import StrataCodegen
import StrataSchema

/// A schema that uses every feature of the language, with names as awkward as they are allowed to be.
let everythingSchema = Schema(
  name: "Everything", version: 3,
  models: [
    scalars, defaults, collections, links, address, named, student, longNames, composite, internals,
    hiding,
  ],
  enums: [
    EnumType(
      name: "Mood", doc: "How somebody feels.", rawType: .string,
      cases: [
        EnumType.Case(name: "calm", rawValue: .string("calm")),
        EnumType.Case(name: "angry", rawValue: .string("a\"ngry\\")),
        EnumType.Case(name: "default", rawValue: .string("default")),
      ]),
    EnumType(
      name: "Priority", rawType: .int,
      cases: [
        EnumType.Case(name: "low", rawValue: .int(-1)),
        EnumType.Case(name: "urgent", rawValue: .int(1_000_000)),
      ]),
    EnumType(
      name: "Answer", rawType: .string,
      cases: ["none", "some"].map { EnumType.Case(name: $0, rawValue: .string($0)) }),
  ])

let everythingOrder = DeclarationOrder(
  properties: ["Address": ["street", "city"]],
  cases: ["Mood": ["calm", "angry", "default"], "Priority": ["low", "urgent"]])

/// Each scalar type, required and optional.
private let scalars = Model(
  name: "Scalars", primaryKey: ["id"], indexes: [["int", "string"]], uniques: [["int16", "int8"]],
  properties: [Property(name: "id", type: .required(.uuid), generate: .uuid)]
    + ScalarType.allCases.flatMap { scalar in
      [
        Property(name: scalar.rawValue, type: .required(scalar)),
        Property(name: scalar.rawValue + "OrNone", type: .optional(scalar)),
      ]
    } + [
      Property(name: "mood", type: .value(ValueType(.enumeration("Mood"))), index: .ordinary),
      Property(
        name: "priority", type: .value(ValueType(.enumeration("Priority"), isOptional: true))),
    ])

/// Each kind of default, and names that Swift has a use for.
private let defaults = Model(
  name: "Defaults", doc: "Values that a new object starts with.\n\nSee `Scalars`.",
  properties: [
    Property(name: "bool", type: .required(.bool), defaultValue: .bool(true)),
    Property(name: "int", type: .required(.int), defaultValue: .int(-12_345_678)),
    Property(name: "float", type: .required(.float), defaultValue: .float(0.1)),
    Property(name: "double", type: .required(.double), defaultValue: .double(1e300)),
    Property(name: "nan", type: .required(.double), defaultValue: .double(.nan)),
    Property(
      name: "otherNaN", type: .required(.double),
      defaultValue: .double(Double(bitPattern: 0xFFF8_0000_0000_0001))),
    Property(name: "infinity", type: .optional(.float), defaultValue: .float(-.infinity)),
    Property(
      name: "string", type: .required(.string), defaultValue: .string("\"\\(x)\"\n\u{202E}é\u{0}")),
    Property(name: "data", type: .required(.data), defaultValue: .data([0, 255])),
    Property(name: "date", type: .required(.date), defaultValue: .date(0.5)),
    Property(
      name: "uuid", type: .required(.uuid),
      defaultValue: .uuid(UUIDValue(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10))),
    Property(name: "decimal", type: .required(.decimal), defaultValue: decimal("-12.50")),
    Property(name: "decimalWhole", type: .required(.decimal), defaultValue: decimal("12345678")),
    Property(
      name: "decimalLong", type: .required(.decimal),
      defaultValue: decimal("12345678901234567890123456789.25")),
    Property(
      name: "objectId", type: .required(.objectID),
      defaultValue: .objectID(ObjectIDValue(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C))),
    Property(name: "any", type: .required(.any), defaultValue: .int(7)),
    Property(
      name: "mood", type: .value(ValueType(.enumeration("Mood"))), defaultValue: .string("default")),
    Property(name: "class", type: .required(.string), defaultValue: .string("first")),
    Property(name: "self", swiftName: "itself", type: .required(.int), defaultValue: .int(0)),
    Property(name: "in", type: .optional(.int)),
    Property(name: "created", type: .required(.date), generate: .now),
    Property(name: "token", type: .optional(.objectID), generate: .objectID),
    Property(
      name: "draft", doc: "Not stored.", type: .required(.string), defaultValue: .string(""),
      isIgnored: true),
    Property(
      name: "history", type: .list(ValueType(.scalar(.string))), isIgnored: true),
    Property(
      name: "lastMood", type: .value(ValueType(.enumeration("Mood"))), isIgnored: true),
  ])

private func decimal(_ text: String) -> Value? { DecimalValue(text).map(Value.decimal) }

/// Lists, sets and maps of scalars, optional scalars, enums, objects and embedded objects.
private let collections = Model(
  name: "Collections",
  properties: [
    Property(name: "strings", type: .list(ValueType(.scalar(.string)))),
    Property(name: "optionals", type: .list(ValueType(.scalar(.string), isOptional: true))),
    Property(name: "moods", type: .list(ValueType(.enumeration("Mood")))),
    Property(name: "objects", type: .list(ValueType(.object("Links"))), deleteRule: .cascade),
    Property(name: "addresses", type: .list(ValueType(.object("Address")))),
    Property(name: "numbers", type: .set(ValueType(.scalar(.int32)))),
    Property(name: "objectSet", type: .set(ValueType(.object("Links")))),
    Property(name: "scores", type: .map(ValueType(.scalar(.double)))),
    Property(name: "notes", type: .map(ValueType(.scalar(.string), isOptional: true))),
    Property(name: "homes", type: .map(ValueType(.object("Address")))),
    Property(name: "dates", type: .set(ValueType(.scalar(.date)))),
  ])

private let links = Model(
  name: "Links",
  properties: [
    Property(name: "next", type: .value(ValueType(.object("Links"), isOptional: true))),
    Property(
      name: "scalars", type: .value(ValueType(.object("Scalars"))), deleteRule: .deny),
    Property(name: "home", type: .value(ValueType(.object("Address"), isOptional: true))),
    Property(name: "previous", type: .inverse(model: "Links", property: "next")),
  ])

private let address = Model(
  name: "Address", doc: "Where somebody lives.", isEmbedded: true,
  properties: [
    Property(name: "street", type: .string), Property(name: "city", type: .string),
  ])

/// A protocol, and a class that conforms to it.
private let named = Model(
  name: "Named", doc: "Whatever has a name.", isAbstract: true,
  properties: [
    Property(name: "name", doc: "Never empty.", type: .string),
    Property(name: "nicknames", type: .list(ValueType(.scalar(.string)))),
  ])

private let student = Model(
  name: "Student", extends: "Named",
  properties: [
    Property(name: "name", doc: "Never empty.", type: .string),
    Property(name: "nicknames", type: .list(ValueType(.scalar(.string)))),
    Property(name: "school", type: .string),
  ])

/// Nothing that is generated from these fits into a line.
private let longNames = Model(
  name: long("LongModelName"),
  properties: [
    Property(name: long("longPropertyName"), type: .string, defaultValue: .string("a default")),
    Property(
      name: long("longLinkName"),
      type: .value(ValueType(.object(long("LongModelName")), isOptional: true))),
    Property(name: long("longListName"), type: .list(ValueType(.object(long("LongModelName"))))),
    Property(
      name: long("long_map_name"), type: .map(ValueType(.scalar(.string), isOptional: true))),
    Property(
      name: long("longInverseName"),
      type: .inverse(model: long("LongModelName"), property: long("longLinkName"))),
    Property(
      name: long("longDraft"), type: .required(.data), defaultValue: .data([1, 2, 3, 4, 5]),
      isIgnored: true),
    Property(name: long("longToken"), type: .required(.uuid), generate: .uuid),
  ])

/// A name of as many bytes as are allowed.
private func long(_ name: String) -> String {
  name + String(repeating: "x", count: 63 - name.utf8.count)
}

private let composite = Model(
  name: "date", swiftName: "Date", primaryKey: ["year", "day"],
  properties: [
    Property(name: "year", type: .int), Property(name: "day", type: .int),
    Property(name: "noon", type: .required(.date)),
  ])

/// Names that the classes' own workings use.
private let internals = Model(
  name: "Internals",
  properties: [
    "buffer", "collections", "count", "cursor", "generation", "identity", "isMissing", "link",
    "manager", "model", "modelName", "object", "row", "schema", "standalone", "type", "value",
    "version",
  ].map { Property(name: $0, type: .string) })

/// Names that hide what the class's own code names, and cases that an optional has, too.
private let hiding = Model(
  name: "Hiding",
  properties: [
    Property(
      name: "answer",
      type: .value(ValueType(.enumeration("Answer"), isOptional: true)),
      defaultValue: .string("none")),
    Property(
      name: "lastAnswer", type: .value(ValueType(.enumeration("Answer"))), isIgnored: true),
    Property(name: "_GeneratedAccess", type: .int),
    Property(name: "List", type: .list(ValueType(.scalar(.int)))),
    Property(name: "UUID", type: .required(.uuid), generate: .uuid),
    Property(name: "Data", type: .required(.data), defaultValue: .data([1])),
    Property(name: "Date", type: .required(.date), defaultValue: .date(0)),
  ])
