import FieldNotes
import Strata
import Testing

@Suite struct JournalTests {
  @Test func observationsLeadToTheirSiteAndBack() throws {
    let journal = try Journal()
    let pond = Site(name: "Pond")

    let first = try journal.note("Moorhen", at: pond, count: 2)
    let second = try journal.note("Moorhen", at: pond)

    #expect(first.site?.name == "Pond")
    #expect(first.species?.isSameObject(as: second.species) == true)
    #expect(pond.observations.count == 2)
    #expect(journal.total(of: "Moorhen") == 3)
  }

  @Test func deletingASiteDeletesItsObservations() throws {
    let journal = try Journal()
    let pond = Site(name: "Pond")
    try journal.note("Moorhen", at: pond)

    try journal.store.write { try journal.store.delete(pond) }

    #expect(journal.store.objects(Observation.self).isEmpty)
  }
}
