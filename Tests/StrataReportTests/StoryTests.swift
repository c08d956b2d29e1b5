import StrataEvolution
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataReport

@Suite("The change story")
struct StoryTests {
  static let before = """
    models:
      Person: { properties: { name: string, email: string?, age: int } }
      Dog: { properties: { name: string } }
    """
  static let after = """
    models:
      Person: { properties: { name: string, age: string, nick: string? } }
      Pet: { properties: { name: { type: string, indexed: true } } }
    """
  static let step = """
    rename: { Dog: Pet }
    drop: [Person.email]
    accept: [{ rule: property-removed, at: Person.email, because: "GDPR-7: <b>asked</b> by @legal" }]
    """

  @Test("Each change with its verdict, risks with what samples hold, rows, a changelog")
  func markdown() throws {
    let samples = [
      Sample(file: "old.db", version: 0, counts: ["Person": 9312, "Dog": 12], nils: [:])
    ]
    let input = try ReportCase.input(
      [Self.before, Self.after], steps: [1: Self.step], samples: samples)
    let story = ChangeStory(input, findings: Diagnostics())
    #expect(
      story.markdown == """
        ## Schema Club

        **5 changes** from version 0 to working version 1: **1 needs a step.**

        ### Working version 1

        | | change | verdict | rule |
        |---|---|---|---|
        | 🟡 | 'Person.age' was int and is string | **needs a step** | `STR3302` type-changed-lossy |
        | 🔴 | 'Person.email' is removed; its values would be lost | accepted: GDPR-7: &lt;b&gt;asked&lt;/b&gt; by @\u{200B}legal | `STR3203` property-removed |
        | 🟢 | 'Person.nick' is added | automatic | `STR3201` property-added-optional |
        | 🟡 | 'Dog' is renamed to 'Pet' | automatic | `STR3104` model-renamed |
        | 🟢 | 'Pet.name' is indexed now | automatic | `STR3601` index-added |

        ### Risks

        - 🔴 **high** v1: 'Person.age' was int and is string; the step does not say what becomes of the data; 9,312 of 9,312 Person have a age in old.db (`STR3302`)
        - 🟡 **medium** v1: 'Person.email' is removed; its values would be lost; accepted: GDPR-7: &lt;b&gt;asked&lt;/b&gt; by @\u{200B}legal; 9,312 of 9,312 Person have a email in old.db (`STR3203`)
        - 🟢 low v1: 'Pet.name' is indexed now; about 0.1 s for the 12 Dog in old.db (`STR3601`)

        ### Rows touched on samples

        | sample | step | model | rows | what |
        |---|---|---|---:|---|
        | `old.db` (v0) | v1 | `Dog` | 12 | renamed to Pet |
        | `old.db` (v0) | v1 | `Person` | 9,312 | carried over to the new form |

        ### Draft of the changelog

        ```markdown
        ### Added

        - 'Person.nick' is added.
        - 'Pet.name' is indexed now.

        ### Changed

        - 'Person.age' was int and is string.
        - 'Dog' is renamed to 'Pet'.

        ### Removed

        - 'Person.email' is removed; its values would be lost.
        ```

        """)
  }

  /// A rule that is new: without samples nothing is known, and a sample says what would be refused.
  @Test(
    "A rule that is new is verified",
    arguments: [
      (nil, "", "🟡 **medium**", ""),
      (0, "", "🟢 low", ""),
      (
        2, " **1 rule is broken by objects of samples, which are refused.**", "🔴 **high**",
        "; 2 of 3 Dog break it in old.db"
      ),
    ] as [(Int?, String, String, String)])
  func verified(_ broken: Int?, _ summary: String, _ risk: String, _ evidence: String) throws {
    let sample = broken.map { count in
      var sample = Sample(file: "old.db", version: 0, counts: ["Dog": 3])
      let rule = Sample.RuleKey(version: 1, at: SchemaPath("Dog", "grown"))
      sample.broken = count == 0 ? [:] : [rule: count]
      return sample
    }
    let input = try ReportCase.input(
      [
        "models: { Dog: { properties: { age: int } } }",
        "models: { Dog: { rules: { grown: age > 0 }, properties: { age: int } } }",
      ], samples: sample.map { [$0] })
    let text = ChangeStory(input, findings: Diagnostics()).markdown
    #expect(
      text.contains(
        "every change is automatic, verified, covered by a step or accepted.\(summary)\n"))
    #expect(text.contains("| 'Dog' keeps") || text.contains("| verified | `STR3505` rule-added |"))
    #expect(
      text.contains(
        "- \(risk) v1: every object of 'Dog' has to keep the rule 'grown': age \\&gt; 0")
        || text.contains(
          "- \(risk) v1: every object of 'Dog' has to keep the rule 'grown': age &gt; 0")
    )
    #expect(
      text.contains("; a file of which an object breaks it is refused\(evidence) (`STR3505`)\n"))
  }

  @Test("A step that repairs what breaks a rule covers it")
  func repaired() throws {
    let input = try ReportCase.input(
      [
        "models: { Dog: { properties: { age: int } } }",
        "models: { Dog: { rules: { grown: age > 0 }, properties: { age: int } } }",
      ], steps: [1: "repair: { Dog.grown: { set: { age: 1 } } }"])
    let story = ChangeStory(input, findings: Diagnostics())
    #expect(story.versions.flatMap(\.changes).map(\.state) == [.covered])
  }

  @Test("A sample of an earlier version knows the model under its earlier name")
  func earlierNames() throws {
    let input = try ReportCase.input(
      [
        "models: { Hound: { properties: { name: string } } }",
        "models: { Dog: { properties: { name: string } } }",
        "models: { Pet: { properties: { name: string } } }",
      ], steps: [1: "rename: { Hound: Dog }", 2: "rename: { Dog: Pet }"],
      samples: [Sample(file: "old.db", version: 0, counts: ["Hound": 4])])
    let story = ChangeStory(input, findings: Diagnostics())
    let rows = try #require(story.samples?.first { $0.version == 2 }?.rows.rows)
    #expect(rows.map(\.model) == ["Dog"])
    #expect(rows.map(\.objects) == [4])
  }

  @Test(
    "Declarations that are edited under the number of a frozen version are told, against a baseline that has it, too",
    arguments: [false, true])
  func editedUnderAFrozenNumber(hasBaseline: Bool) throws {
    var input = try ReportCase.input(
      [
        "models: { T: { properties: { name: string, age: int } } }",
        "models: { T: { properties: { name: string } } }",
      ], samples: [Sample(file: "old.db", version: 0, counts: ["T": 3])])
    input.working?.schema.version = 0
    if hasBaseline {
      let lock = VersionLock(lines: input.frozen.compactMap(\.line))
      input.baseline = Baseline(name: "git:main", lock: lock)
    }

    let story = ChangeStory(input, findings: Diagnostics())

    #expect(story.versions.map(\.name) == ["working version 0"])
    let text = story.markdown
    #expect(text.contains("**1 change** from version 0 to working version 0"), "\(text)")
    #expect(text.contains("| `old.db` (v0) | v0 | `T` | 3 | carried over to the new form |"))
  }

  @Test("A diagram that GitHub draws")
  func mermaid() throws {
    let schema = try ReportCase.schema(ReportCase.club)
    #expect(
      Mermaid.diagram(schema) == """
        erDiagram
          "Address" {
            string street
          }
          "Dog" {
          }
          "Person" {
            Person boss "who says 'go'   b "
            Dog[] dogs
            Address home
            int id PK
          }
          "Person" }o..o| "Person" : "boss"
          "Person" }o..o{ "Dog" : "dogs"
          "Person" ||--|| "Address" : "home"

        """)
  }

  @Test("Mermaid's own words are names of models and properties")
  func mermaidWords() throws {
    let schema = try ReportCase.schema(
      """
      schema: Club
      version: 0
      models:
        Class: { properties: { pk: int, to: Pk? } }
        Pk: { properties: { UK: string } }
      """)
    #expect(
      Mermaid.diagram(schema) == """
        erDiagram
          "Class" {
            int _pk
            _Pk to
          }
          "Pk" {
            string _UK
          }
          "Class" }o..o| "Pk" : "to"

        """)
  }

  /// By the lexer's rules in mermaid's erDiagram.jison.
  @Test("Mermaid reads one word where a name has signs, and one text where a doc has tildes")
  func mermaidSigns() throws {
    let schema = try ReportCase.schema(
      """
      schema: Club
      version: 0
      models:
        Article:
          properties:
            col·lecció: int
            pkÄnderung: int
            pk2: int
            ukulele: int
            ª: int
            size: { type: int, doc: "~5 MB for photos, ~50 MB for films" }
      """)
    #expect(
      Set(Mermaid.diagram(schema).split(separator: "\n")) == [
        "erDiagram",
        "  \"Article\" {",
        "    int col_lecció",
        "    int _pkÄnderung",
        "    int pk2",
        "    int ukulele",
        "    int _",
        "    int size \" 5 MB for photos,  50 MB for films\"",
        "  }",
      ])
  }

  @Test("Of a first version the summary says to which it leads")
  func firstVersion() throws {
    let input = try ReportCase.input(["models: { T: { properties: { name: string } } }"])
    #expect(
      ChangeStory(input, findings: Diagnostics()).markdown.contains(
        "\n**0 changes** to working version 0: "))
  }

  @Test("A step that changes data, though the declarations stay as they are")
  func dataAlone() throws {
    let models = "models: { T: { properties: { price: int, name: string } } }"
    let input = try ReportCase.input(
      [models, models],
      steps: [
        1: """
        set: { T: { price: old.price * 2 } }
        delete: { T: old.price > 4 }
        deduplicate: { T: { by: [name], keep: first } }
        """
      ])
    #expect(
      ChangeStory(input, findings: Diagnostics()).markdown == """
        ## Schema Club

        **0 changes** from version 0 to working version 1: the declarations stay as they are for stored data, and **the step changes it.**

        ### Working version 1

        The declarations stay as they are for stored data, and the step changes it.
        - objects of 'T' are deleted by a condition
        - objects of 'T' that agree become one
        - the values of 'T.price' are worked out anew: old.price \\* 2

        ### Risks

        - 🟡 **medium** v1: objects of 'T' are deleted by a condition
        - 🟡 **medium** v1: objects of 'T' that agree become one
        - 🟡 **medium** v1: the values of 'T.price' are worked out anew: old.price \\* 2

        ### Draft of the changelog

        ```markdown
        ### Changed

        - Objects of 'T' are deleted by a condition.
        - Objects of 'T' that agree become one.
        - The values of 'T.price' are worked out anew: old.price * 2.
        ```

        """)
  }

  @Test("Values of a property that widens by itself, and that the step overwrites")
  func dataBesideChanges() throws {
    let input = try ReportCase.input(
      [
        "models: { T: { properties: { price: int32 } } }",
        "models: { T: { properties: { price: int, made: { type: int, default: 0 } } } }",
      ], steps: [1: "set: { T: { price: old.price * 0, made: 1 } }"])

    let risks = ChangeStory(input, findings: Diagnostics()).risks.map(\.text)

    #expect(risks.contains("v1: the values of 'T.price' are worked out anew: old.price * 0"))
    #expect(!risks.contains { $0.contains("'T.made' are worked out") })
  }
}
