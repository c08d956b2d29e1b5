import Strata
import StrataSource

extension RuntimePages {
  static let objects: [DiagnosticPage] = [
    page(
      .belongsToAnotherStore(model: "Person"), "object-of-another-store",
      "A frozen object, or an object of another store, was added, linked to, deleted or named in a condition.",
      "An object is a window on the store that it lives in. Of a frozen object, `thaw()` gives the live store's, and `thaw(in: store)` that of any store of the same file; in another file the primary key finds the object that is meant. A detached copy belongs to no store and may be added to any, as a new object.",
      failing: "try second.write { try second.add(person) }",
      repaired: "try second.write { try second.add(person.detached()) }"),
    page(
      .notManaged(model: "Person"), "object-not-managed",
      "A call needs an object of a store, and this one belongs to none.",
      "A new object, or a detached copy, is standalone until it is added.",
      failing: "try store.write { try store.delete(Person(fullName: \"Ada\", age: 36)) }",
      repaired: """
        try store.write {
          let ada = Person(fullName: "Ada", age: 36)
          try store.add(ada)
          try store.delete(ada)
        }
        """),
    page(
      .invalidated(model: "Person"), "object-deleted",
      "An object was used for a change after it was deleted.",
      "Its last values can still be read, and `isInvalidated` is true. It cannot be stored again; make a new one, as `detached()` does. The same holds for an object that was added in a transaction that was cancelled.",
      failing: """
        try store.write {
          try store.delete(person)
          try store.add(person)
        }
        """,
      repaired: """
        try store.write {
          let copy = person.detached()
          try store.delete(person)
          try store.add(copy)
        }
        """),
    page(
      .duplicatePrimaryKey(model: "Place", key: "94103"), "object-duplicate-key",
      "There is an object with the same primary key already.",
      "A primary key names one object. To change the one that is there, say so: `.modified` writes what is different, `.all` everything.",
      failing: "try store.write { try store.add(place) }",
      repaired: "try store.write { try store.add(place, update: .modified) }"),
    page(
      .notUnique(model: "Account", properties: ["email", "country"]), "object-not-unique",
      "There is an object with the same values in unique properties already.",
      "`unique` in the declaration promises that no two objects share these values. Look the other one up and change it, or choose another value. The transaction was undone.",
      failing: """
        try store.write {
          try store.add(Account(email: "ada@example.org", country: "GB"))
          try store.add(Account(email: "ada@example.org", country: "GB"))
        }
        """,
      repaired: """
        try store.write {
          try store.add(Account(email: "ada@example.org", country: "GB"))
          try store.add(Account(email: "ada@example.org", country: "FR"))
        }
        """),
    page(
      .missingRequired(model: "Order", property: "customer"), "object-required-missing",
      "A required property or link has no value when the transaction ends.",
      "A property without `?` always has a value. A required link may be set at any moment before the commit; the transaction was undone because it was not.",
      failing: "try store.write { try store.add(Order()) }",
      repaired: """
        try store.write {
          let order = Order()
          order.customer = customer
          try store.add(order)
        }
        """),
    page(
      .deleteDenied(model: "Order", property: "customer"), "object-delete-denied",
      "An object was deleted that others link to with the delete rule 'deny'.",
      "`deny` protects what others need. Delete those first, or let them link to something else. With `cascade` they would go with it, with `nullify` the link would become nil.",
      failing: "try store.write { try store.delete(customer) }",
      repaired: """
        try store.write {
          for order in store.objects(Order.self).where({ $0.customer == customer }) {
            try store.delete(order)
          }
          try store.delete(customer)
        }
        """),
    page(
      .ruleBroken(
        BrokenRule(
          model: "Person", rule: "adult", sentence: "A member is at least 18.",
          condition: "age >= 18", identity: 7, primaryKey: "id 42", problem: nil)),
      "object-rule-broken", "An object breaks a rule of its model when the transaction commits.",
      "The declarations say under `rules:` what every object keeps. Only the end of a transaction counts. Nothing of it was stored: changed objects have their old values, added ones are invalidated, and the store can be used. `broken` has the rule, its sentence and the object; docs/data-rules.md says more.",
      failing: "try store.write { person.age = 7 }",
      repaired: """
        do {
          try store.write { person.age = 17 }
        } catch StoreError.ruleBroken(let broken) {
          show(broken.sentence ?? broken.condition)
        }
        """),
    page(
      .wrongType(model: "Person", property: "age", expected: "int", found: "String (old)"),
      "object-wrong-type", "A value is not of the property's type.",
      "Values that come by name, from dictionaries and JSON, are compared with the declaration. They are never converted silently. Of a collection the message names the element, as `as element 2` or `at the key go`.",
      failing:
        #"try store.write { try store.create(Person.self, value: ["fullName": "Ada", "age": "old"]) }"#,
      repaired:
        #"try store.write { try store.create(Person.self, value: ["fullName": "Ada", "age": 36]) }"#
    ),
    page(
      .noPrimaryKey(model: "Person"), "object-without-key",
      "A call needs a primary key, and the model has none.",
      "Declare one with `primaryKey:`, or find the object by a condition.",
      failing: "try store.object(ofType: Person.self, forPrimaryKey: 7)",
      repaired: #"try store.objects(Person.self).filter("fullName == %@", "Ada").first"#),
    page(
      .embeddedWithoutOwner(model: "Address"), "object-embedded-alone",
      "An embedded object was added by itself.",
      "It lives in a property of its owner, and dies with it.",
      failing: "try store.write { try store.add(Address(street: \"Main Street\")) }",
      repaired: "try store.write { person.home = Address(street: \"Main Street\") }"),
  ]
}
