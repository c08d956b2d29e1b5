import StrataCodegen
import Testing

@Suite struct DependencyFileTests {
  @Test func makeSyntax() {
    let text = DependencyFile.text(
      for: "out/all.d", outputs: ["out/A+Strata.swift", "out/B+Strata.swift"],
      inputs: ["my schemas/a.yaml", "$b.yaml"])

    #expect(
      text == """
        out/all.d out/A+Strata.swift out/B+Strata.swift: \\
          my\\ schemas/a.yaml \\
          $$b.yaml

        my\\ schemas/a.yaml:

        $$b.yaml:

        """)
  }
}
