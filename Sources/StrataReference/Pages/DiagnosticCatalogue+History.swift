import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

// Of frozen versions, their lock and steps.

extension DiagnosticCatalogue {
  static let history = [
    DiagnosticPage(
      HistoryDiagnostic.frozenVersionEdited,
      """
      The lock keeps a digest of every frozen version. The file `versions/0.yaml` is not what it was when it was frozen:
      database files of that version exist perhaps, and the steps that upgrade them were written for the schema as it was.

      Restore the file. While the version is unreleased, change the working schema and run `strata freeze --amend`; when it
      was shipped, make a new version.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: Example
          version: 0
          models:
            Person: { properties: { name: string, age: int } }
          """),
        ExampleFile("schemas/schema.lock", lock(of: [version0])),
      ],
      repaired: [
        version0,
        ExampleFile("schemas/schema.lock", lock(of: [version0])),
      ]),
    DiagnosticPage(
      HistoryDiagnostic.lockInvalid,
      """
      `schema.lock` is written by `strata freeze` only. Each line is sealed with all lines before it, so that a line that was
      edited, lost, moved or cut off is found. Restore the file from version control, or let `strata freeze --repair` show
      what is wrong and mend it.
      """,
      failing: [
        version0,
        ExampleFile(
          "schemas/schema.lock", lock(of: [version0], edit: ("2026-11-21", "2026-11-22"))),
      ],
      repaired: [
        version0,
        ExampleFile("schemas/schema.lock", lock(of: [version0])),
      ]),
    DiagnosticPage(
      HistoryDiagnostic.versionCollision,
      """
      Two branches froze a version with the same number, and git put both lines, or its conflict markers, into the lock. Keep
      the lines and files of the branch that was first and run `strata freeze --rebase`, which renumbers the other one.
      """,
      failing: [
        version0,
        ExampleFile("schemas/schema.lock", lock(of: [version0, version0])),
      ],
      repaired: [
        version0,
        ExampleFile("schemas/schema.lock", lock(of: [version0])),
      ]),
    DiagnosticPage(
      HistoryDiagnostic.versionMissing,
      """
      The lock names a version whose file is gone. Database files of that version could not be upgraded any more. Restore the
      file from version control.
      """,
      failing: [
        ExampleFile("schemas/schema.lock", lock(of: [version0]))
      ],
      repaired: [
        version0,
        ExampleFile("schemas/schema.lock", lock(of: [version0])),
      ]),
    DiagnosticPage(
      HistoryDiagnostic.fileNameInvalid,
      """
      Frozen versions and steps are files named after their numbers: `schemas/versions/3.yaml`, `migrations/3.yaml`.
      """,
      failing: [
        ExampleFile(
          "migrations/three.yaml",
          """
          to: 3
          drop: [Person.age]
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          drop: [Person.age]
          """)
      ]),
    DiagnosticPage(
      HistoryDiagnostic.numberMismatch,
      """
      The file's name and what stands in it are different versions. One of the two is a slip; the tool does not guess which.
      """,
      failing: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 2
          drop: [Person.age]
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          drop: [Person.age]
          """)
      ]),
    DiagnosticPage(
      HistoryDiagnostic.schemaNameChanged,
      """
      All frozen versions in a folder are of one schema. Database files carry its name, and one of another schema is not
      upgraded.
      """,
      failing: [
        version0,
        ExampleFile(
          "schemas/versions/1.yaml",
          """
          schema: Other
          version: 1
          models:
            Person: { properties: { name: string } }
          """),
        ExampleFile("schemas/schema.lock", lock(of: [version0, version1])),
      ],
      repaired: [
        version0,
        version1,
        ExampleFile("schemas/schema.lock", lock(of: [version0, version1])),
      ]),
    DiagnosticPage(
      HistoryDiagnostic.pathInvalid,
      """
      A step names models (`Person`) and properties (`Person.email`). New names stand alone: what a property becomes is said
      without its model.
      """,
      failing: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          rename: { Person.nick: Person.nickname }
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          rename: { Person.nick: nickname }
          """)
      ]),
    DiagnosticPage(
      HistoryDiagnostic.stepConflict,
      """
      The step says two things that cannot both hold: a property is renamed and dropped, or two become one.
      """,
      failing: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          rename: { Person.first: name, Person.last: name }
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          set: { Person: { name: old.first + ' ' + old.last } }
          drop: [Person.first, Person.last]
          """)
      ]),
    DiagnosticPage(
      HistoryDiagnostic.questionOpen,
      """
      `strata freeze` and `strata adopt` write a step with a question, `???`, for everything that only you can know: what existing
      objects get, whether a name is a new name for the old one, which of two equal objects stays, whether data is given up.
      The comment above it says what is asked. Behind the mark may stand what many would write: take the mark away to agree, or
      write something else. Until the last one is answered the step is no step, and `strata check` fails.
      """,
      failing: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          set:
            Person:
              # 'Person.age' was string and is int
              age: "??? int(old.age) ?? 0"
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/3.yaml",
          """
          to: 3
          set:
            Person:
              # 'Person.age' was string and is int
              age: int(old.age) ?? 0
          """)
      ]),
    DiagnosticPage(
      HistoryDiagnostic.targetWithoutSwift,
      """
      SwiftPM takes a target without a Swift file of its own for empty: it leaves the target out with a warning, no plugin runs
      for it, and what imports it fails with "no such module". A file with a comment is enough. `strata init` writes one for each
      of its folders, and `strata check --fix` adds what is missing.
      """,
      failing: [manifest, declarations],
      repaired: [
        manifest, declarations,
        ExampleFile(
          "schemas/Person.swift",
          """
          extension Person {
            public var isNamed: Bool { !name.isEmpty }
          }
          """),
      ]),
  ]

  private static let manifest = ExampleFile(
    "Package.swift",
    """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "MyApp",
      platforms: [.macOS(.v15)],
      dependencies: [.package(name: "strata", path: "../strata")],
      targets: [
        .target(
          name: "Models", dependencies: [.product(name: "Strata", package: "strata")],
          path: "schemas", plugins: [.plugin(name: "StrataPlugin", package: "strata")])
      ]
    )
    """)

  private static let declarations = ExampleFile(
    "schemas/Person.yaml",
    """
    schema: Example
    version: 0
    models:
      Person: { properties: { name: string } }
    """)

  private static let version0 = ExampleFile(
    "schemas/versions/0.yaml",
    """
    schema: Example
    version: 0
    models:
      Person: { properties: { name: string } }
    """)

  private static let version1 = ExampleFile(
    "schemas/versions/1.yaml",
    """
    schema: Example
    version: 1
    models:
      Person: { properties: { name: string } }
    """)

  /// The lock of versions as they are, with one text replaced by another.
  private static func lock(
    of files: [ExampleFile], edit: (old: String, new: String)? = nil
  ) -> String {
    var lock = VersionLock()
    for file in files {
      var diagnostics = Diagnostics()
      guard let schema = SchemaCompiler.compile([file.source], reporting: &diagnostics)?.schema
      else { continue }
      lock.lines.append(
        VersionLock.Line(
          version: schema.version, date: "2026-11-21", shape: schema.shape, step: nil,
          after: lock.lines.last?.chain))
    }
    return edit.map { lock.text.replacing($0.old, with: $0.new) } ?? lock.text
  }
}
