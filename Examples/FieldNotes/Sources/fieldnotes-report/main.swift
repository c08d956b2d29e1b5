import FieldNotes

// Uses the library as any other package would.

let journal = try Journal()
let meadow = Site(name: "Meadow", position: Position(latitude: 48.2, longitude: 16.4))
try journal.note("Peacock butterfly", at: meadow, count: 3)
try journal.note("Skylark", at: meadow, note: "singing")
try journal.note("Peacock butterfly", at: meadow)

print("\(meadow.initial): \(meadow.name), \(meadow.observations.count) observations")
print("\(journal.total(of: "Peacock butterfly")) peacock butterflies")
