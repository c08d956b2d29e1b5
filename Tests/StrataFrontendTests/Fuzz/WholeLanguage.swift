/// Texts that use everything that the language has.
enum WholeLanguage {
  static let schema = """
    schema: People            # name of the schema
    version: 2
    language: 1
    models:
      Person:
        doc: A person in the address book.
        primaryKey: id
        indexes: [[lastName, firstName]]   # compound indexes, in order
        unique: [[email, country]]         # compound uniqueness
        properties:
          id: uuid
          fullName: string                 # required
          firstName: string
          lastName: string
          email: string?                   # optional
          age: { type: int, default: 0, indexed: true }
          birthdate: date?
          dogs: [Dog]                      # ordered list of objects
          names: [string?]
          tags: set<string>
          scores: map<double>              # string keys
          boss: Person?                    # to-one
          country: { type: Country, deleteRule: deny }        # required to-one
          home: Address?                   # embedded object
          mood: { type: Mood, default: calm }
          reports: { linkingObjects: Person.boss }    # inverse
          draft: { type: string, ignored: true, default: "" }
          nick: { type: string?, doc: Short name. }
          key: { type: uuid, generate: uuid, unique: true }
          created: { type: date, generate: now }
          text: { type: string, indexed: fulltext, swiftName: body }
      Student:
        extends: Person
        properties: { school: string }
      Dog:
        properties:
          name: string
      Country: { primaryKey: code, properties: { code: string } }
      Address:
        embedded: true
        properties: { street: string, city: string }
    enums:
      Mood: { type: string, cases: [calm, angry] }
      Level: { type: int, cases: { low: 1, high: 10 } }

    """

  static let step = """
    to: 2
    rename:      { Person.nickname: nick, Human: Person }      # old name: new name
    set:
      Person:
        fullName: old.firstName + ' ' + old.lastName
        city: old.home.city
        pet: old.dogs[0]
        mood: if(old.angry, 'angry', 'calm')
        age: int(old.age) ?? 0
    delete:      { Human: old.age < 0 }
    deduplicate: { Human: { by: [email], keep: last } }
    drop:        [Human.firstName, Human.lastName, Draft]
    swift:       [Person]
    accept:      [{ rule: property-removed, at: Human.phone, because: GDPR-114 }]

    """
}
