import Foundation
import Testing

/// `strata generate` in builds without the plugin.
@Suite struct GenerateCommandTests {
  private static func isInstalled(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  private static let hasMake = isInstalled("make")
  private static let hasCMake = isInstalled("cmake") && isInstalled("ninja")

  /// Every change of YAML is noticed, and nothing runs when there is none: with a rule of make, and with one of CMake.
  private func checkChanges(_ prepare: String, build: String) throws {
    let result = try CommandRunner().shell(
      """
      set -e
      fail() { echo "failed: $*"; exit 1; }
      mkdir -p 'My Models'; cd 'My Models'
      printf 'schema: S\\nversion: 0\\nmodels:\\n  A:\\n    properties: { x: int }\\n' > A.yaml
      cd ..
      printf 'generate: { access: public }\\n' > strata.yaml
      \(prepare)
      build() { \(build) > log 2>&1 || { cat log; exit 1; }; }
      built() { rm -f ran; sleep 0.05; build; test -e ran || fail "$1 is not noticed"; }
      rests() { rm -f ran; build; test ! -e ran || fail "it runs after $1 without a change"; }
      build; test -e ran || fail "nothing was generated"; rests "the first build"
      printf 'models:\\n  B:\\n    properties: { y: int }\\n' > 'My Models/B.yaml'
      built "an added file"; test -f Generated/B+Strata.swift; rests "an added file"
      printf 'models:\\n  B:\\n    properties: { z: int }\\n' > 'My Models/B.yaml'
      built "an edited file"; grep -q 'var z' Generated/B+Strata.swift; rests "an edited file"
      mv 'My Models/B.yaml' 'My Models/C.yaml'
      built "a renamed file"; rests "a renamed file"
      rm 'My Models/C.yaml'
      built "a removed file"; test ! -e Generated/B+Strata.swift; rests "a removed file"
      printf 'generate: { access: internal }\\n' > strata.yaml
      built "a setting"; grep -q 'internal final class A' Generated/A+Strata.swift; rests "a setting"
      printf 'generate: { access: package }\\n' > strata.yaml
      built "another setting"; grep -q 'package final class A' Generated/A+Strata.swift
      echo ok
      """)
    #expect(
      result.status == 0 && result.output.hasSuffix("ok\n"), "\(result.output)\(result.errors)")
  }

  private static let command =
    "strata generate --schemas 'My Models' --output Generated --depfile Generated/models.d"

  @Test(.enabled(if: hasMake, "make is not installed")) func fromAMakefile() throws {
    try checkChanges(
      """
      cat > Makefile <<'END'
      all: Generated/models.d
      Generated/models.d:
      \t\(Self.command) && touch ran
      -include Generated/models.d
      END
      """, build: "make")
  }

  @Test(.enabled(if: hasCMake, "cmake and ninja are not installed")) func fromCMake() throws {
    try checkChanges(
      """
      mkdir -p build Generated
      cat > CMakeLists.txt <<'END'
      cmake_minimum_required(VERSION 3.20)
      project(App NONE)
      set(models ${CMAKE_BINARY_DIR}/models.d)
      add_custom_command(
        OUTPUT ${models}
        COMMAND strata generate --schemas "${CMAKE_SOURCE_DIR}/My Models" --output Generated
          --depfile ${models}
        COMMAND touch ran
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPFILE ${models} VERBATIM)
      add_custom_target(models ALL DEPENDS ${models})
      END
      cmake -G Ninja -S . -B build > log 2>&1 || { cat log; exit 1; }
      """, build: "cmake --build build")
  }
}
