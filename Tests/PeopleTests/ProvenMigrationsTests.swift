import PeopleMigrations
import StrataTesting
import Testing

/// The example of docs/proof.md.
@Test func migrationsArePathIndependent() throws {
  let report = try assertMigrations(PeopleMigrations.self)
  #expect(report.isProven)
}
