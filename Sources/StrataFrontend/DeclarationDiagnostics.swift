package import StrataSource

/// What can be wrong with declarations.
package enum DeclarationDiagnostic {
  // Form
  package static let unknownKey = DiagnosticKind(
    "STR2001", "unknown-key", "A key that the language does not have.")
  package static let wrongKind = DiagnosticKind(
    "STR2002", "wrong-kind-of-value", "A list, a mapping or a text stands where another is needed.")
  package static let missingKey = DiagnosticKind(
    "STR2003", "missing-key", "A key that has to be there is missing.")
  package static let unknownWord = DiagnosticKind(
    "STR2004", "unknown-word", "A value that is none of the words that the key takes.")

  // Header
  package static let headerMissing = DiagnosticKind(
    "STR2101", "header-missing", "No file of the schema says its name and version.")
  package static let headerTwice = DiagnosticKind(
    "STR2102", "header-twice", "More than one file of the schema carries the header.")
  package static let versionInvalid = DiagnosticKind(
    "STR2103", "version-invalid", "The version is not an integer from 0 to 2147483647.")
  package static let languageUnknown = DiagnosticKind(
    "STR2104", "language-unknown", "An edition of the language that this tool does not know.")

  // Names
  package static let nameInvalid = DiagnosticKind(
    "STR2201", "name-invalid", "A name is not an identifier.")
  package static let nameTaken = DiagnosticKind(
    "STR2202", "name-taken", "A name that the language uses itself.")
  package static let nameTwice = DiagnosticKind(
    "STR2203", "name-twice", "A name is declared more than once.")

  // Types
  package static let typeInvalid = DiagnosticKind(
    "STR2301", "type-invalid", "A text that is not written like a type.")
  package static let typeUnknown = DiagnosticKind(
    "STR2302", "type-unknown", "A type that is neither a scalar nor a model nor an enum.")
  package static let typeImpossible = DiagnosticKind(
    "STR2303", "type-impossible", "A combination of types that cannot be stored.")

  // Properties and keys
  package static let propertyUnknown = DiagnosticKind(
    "STR2401", "property-unknown", "A key or index names a property that the model does not have.")
  package static let keyNotApplicable = DiagnosticKind(
    "STR2402", "key-not-applicable", "A key that says nothing about a property of this type.")
  package static let primaryKeyType = DiagnosticKind(
    "STR2403", "primary-key-type", "A primary key of a type that cannot identify objects.")
  package static let primaryKeyOfEmbedded = DiagnosticKind(
    "STR2404", "primary-key-of-embedded", "An embedded model has a primary key.")
  package static let indexType = DiagnosticKind(
    "STR2405", "index-type", "An index over a property of a type that is not indexed.")
  package static let uniqueType = DiagnosticKind(
    "STR2406", "unique-type", "Uniqueness of a property of a type that is not compared.")
  package static let listedTwice = DiagnosticKind(
    "STR2407", "listed-twice", "A property or an index is listed twice.")
  package static let deleteRuleMissing = DiagnosticKind(
    "STR2408", "delete-rule-missing",
    "A required link does not say what its target's deletion does.")
  package static let generateType = DiagnosticKind(
    "STR2409", "generate-type", "A generator that does not make values of the property's type.")

  // Enums
  package static let enumEmpty = DiagnosticKind(
    "STR2501", "enum-empty", "An enum without cases.")
  package static let enumValueInvalid = DiagnosticKind(
    "STR2502", "enum-value-invalid", "A case's raw value is not of the enum's type.")
  package static let enumValueTwice = DiagnosticKind(
    "STR2503", "enum-value-twice", "Two cases of an enum have the same raw value.")

  // Inheritance and embedding
  package static let extendsUnknown = DiagnosticKind(
    "STR2601", "extends-unknown", "A model extends something that is no model.")
  package static let extendsCycle = DiagnosticKind(
    "STR2602", "extends-cycle", "Models extend each other in a circle.")
  package static let inheritedDifferently = DiagnosticKind(
    "STR2603", "inherited-differently", "A model declares what it inherits in another way.")
  package static let extendsEmbedded = DiagnosticKind(
    "STR2604", "extends-embedded", "An embedded model extends an ordinary one, or the reverse.")
  package static let extendsTooDeep = DiagnosticKind(
    "STR2605", "extends-too-deep", "A chain of models that extend each other is too long.")
  package static let embeddedCycle = DiagnosticKind(
    "STR2701", "embedded-cycle", "Embedded models require each other in a circle.")

  // Bounds
  package static let schemaTooLarge = DiagnosticKind(
    "STR2801", "schema-too-large", "A schema of more models or properties than can be handled.")

  // Rules that are judged as soon as a schema is read, and keep the codes of the catalogue of rules.
  package static let defaultMismatch = DiagnosticKind(
    "STR3406", "default-type-mismatch",
    "A default is not of the property's type or out of its range.")
  package static let inverseMismatch = DiagnosticKind(
    "STR3706", "inverse-missing-or-asymmetric",
    "An inverse names a property that is missing, is no link, or points elsewhere.")
  package static let deleteRuleCycle = DiagnosticKind(
    "STR3708", "delete-rule-cycle", "Required or cascading links lead in a circle.")
  package static let reservedIdentifier = DiagnosticKind(
    "STR3902", "reserved-swift-identifier",
    "A name that Swift or the generated classes already use.")
  package static let nameClash = DiagnosticKind(
    "STR3903", "case-insensitive-name-clash",
    "Two names that differ only in upper and lower case or in Unicode normalisation.")
  package static let nameLimit = DiagnosticKind(
    "STR3904", "name-limit",
    "A name longer than 63 bytes or kept for the store, or more than 1,000 properties.")

  package static let all = [
    unknownKey, wrongKind, missingKey, unknownWord, headerMissing, headerTwice, versionInvalid,
    languageUnknown, nameInvalid, nameTaken, nameTwice, typeInvalid, typeUnknown, typeImpossible,
    propertyUnknown, keyNotApplicable, primaryKeyType, primaryKeyOfEmbedded, indexType, uniqueType,
    listedTwice, deleteRuleMissing, generateType, enumEmpty, enumValueInvalid, enumValueTwice,
    extendsUnknown, extendsCycle, inheritedDifferently, extendsEmbedded, extendsTooDeep,
    embeddedCycle, schemaTooLarge, defaultMismatch, inverseMismatch, deleteRuleCycle,
    reservedIdentifier, nameClash, nameLimit,
  ]
}
