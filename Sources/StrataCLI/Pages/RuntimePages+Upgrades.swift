import Strata
import StrataSource

extension RuntimePages {
  static let upgrades: [DiagnosticPage] = [
    page(
      .blockMissing, "upgrade-block-missing",
      "A step has a Swift block, and this program does not have it inside.",
      "The stock `strata` runs declarative steps alone. An executable of three lines has an app's own blocks: `import PeopleMigrations`, `import StrataCLI`, `StrataCLI.main(migrations: PeopleMigrations.self)`.",
      failing: "people create a.db --version 0\nstrata migrate a.db",
      said:
        """
        Version 1 of People is reached by a Swift block, which this program does not have. Blocks are compiled: run the upgrade with the app itself, or with a tool of your own: an executable target whose main.swift is
            import PeopleMigrations
            import StrataCLI
            StrataCLI.main(migrations: PeopleMigrations.self)
        """,
      repaired: "people migrate a.db"),
    page(
      .blockFailed, "upgrade-block-failed", "A Swift block threw an error.",
      "The sentence names the version, the model, the object and the block's own error. The file is as it was. Make the block cope with such objects, or give them up with `delete:` in the step.",
      failing: "people migrate a.db",
      said:
        "The block of version 1, Person 7 stopped the upgrade: a name is missing"),
    page(
      .stepMissing, "upgrade-step-missing",
      "Changes between two versions need a step, and there is none.",
      "What becomes of the data is not known: a required property has no value, or a value has no place. `strata check` lists the changes, `strata freeze` writes the step's scaffold.",
      failing: "strata migrate a.db",
      said:
        "a.db is at version 0 of People, and one change since version 0 needs a step, and there is none: 'Person.fullName' is added, required and without a default: existing objects have no value for it. `strata check` shows where."
    ),
    page(
      .requiredValueMissing, "upgrade-value-missing",
      "A required property has no value after a step.",
      "An optional property became required and some objects have none, or a block left it out on some path. Set it in the step: `set: { Person: { email: old.email ?? '' } }`.",
      failing:
        "people create a.db --version 0 --sample 3\nrm migrations/1.yaml\n"
        + "echo 'rules: { block-edited-after-release: off }' > strata.yaml\nstrata migrate a.db",
      said:
        "An object has no value for Person.fullName, which version 1 requires (the first is _row 1). Give the property a default, or set it in the step to version 1."
    ),
    page(
      .duplicateValue, "upgrade-duplicate-value",
      "Two objects have the same values in what a step makes unique.",
      "Say which one stays: `deduplicate: { Person: { by: [email], keep: first } }`. It compares the values from before the step: where `set:`, a default or the step's block makes them equal, give each object its own there. `strata check --samples DIR` counts duplicates in real files beforehand.",
      failing: "people migrate a.db",
      said:
        "2 Person objects have the same email (ada@example.org), which version 2 requires to be unique; the first is _row 7, the last is _row 9. Add `deduplicate:` to the step to version 2, or change the values there."
    ),
    page(
      .conversionFailed, "upgrade-conversion-failed",
      "A value cannot be converted, or a calculation has no result.",
      "A number out of range, a division by zero, a text that is no number. Say what becomes of such values: `age: int(old.age) ?? 0`.",
      failing: "people migrate a.db",
      said:
        "The step to version 2, Person 7: 300 is out of the range of int8."
    ),
    page(
      .deletionDenied, "upgrade-deletion-denied",
      "A step deletes an object that others link to with the delete rule 'deny'.",
      "Delete or change those objects in the same step, or change the delete rule.",
      failing: "people migrate a.db",
      said:
        "Customer _row 7 cannot be deleted in the step to version 2: Order _row 9 links to it by customer, whose delete rule is deny."
    ),
    page(
      .ruleBroken, "upgrade-rule-broken",
      "Objects break rules of the version that is being made.",
      "All objects are held against the version's rules before the file is written back, and it is as it was. The sentence counts them and names the first ten of each rule. Say in the step under `repair:` what becomes of them, or change them before; `strata plan FILE` and `strata check --samples DIR` count them without an upgrade. No step is run for a file of this version that was written with earlier declarations of it: change its objects with these, take the rule back, or begin the file anew.",
      failing: "people migrate a.db",
      said:
        "The upgrade to version 1 was refused, and the file is as it was: 2 Person objects break the rule Person.adult: A member is at least 18. (age >= 18): Person 3, Person 7. Say in the step to version 1 what becomes of them: `repair: { Person.adult: … }`, or change them before.",
      repaired: """
        # migrations/1.yaml
        to: 1
        repair: { Person.adult: { set: { age: 18 } } }
        """),
    page(
      .verificationFailed, "upgrade-verification-failed",
      "The upgraded content did not pass the check before it was written back.",
      "Its tables are compared with those of a fresh database, links are followed and objects counted. The file is as it was. This is a defect of Strata: please report it with the sentence and the output of `strata plan FILE`.",
      failing: "people migrate a.db",
      said:
        "The upgraded file was refused before anything was written: a link of Person leads nowhere. The file is as it was. Please report this with the schema history."
    ),
    page(
      .renameRefused, "upgrade-rename-refused",
      "A migration block renames a property in a way that cannot be.",
      "The sentence says why: the newest schema still declares the old name, the file has no such model or property, the model is gone, the types differ, or a name between two versions leads to no property of the newest one. The file is as it was.",
      failing: #"migration.renameProperty(onType: "Person", from: "age", to: "name")"#,
      said:
        "Person.age cannot be renamed to name: it would become string from int. Enumerate the objects and convert the value.",
      repaired: #"""
        migration.enumerateObjects(ofType: "Person") { old, new in
          new!["name"] = "\(old!["age"]!)"
        }
        """#),
    page(
      .cannotGoBack, "downgrade-impossible",
      "Two files are no older and newer version of the same data.",
      "A file is taken back by the file that it was upgraded from: of the same schema and history, at an earlier version, with the same objects. The sentence says what is otherwise. Nothing was changed.",
      failing:
        "strata downgrade a.db --from b.db",
      said:
        "a.db was not made from b.db: none of its objects is one that the upgrade of b.db gives. Name the old file that was kept when a.db was upgraded."
    ),
    page(
      .losesData, "downgrade-loses-data",
      "Changes that were made in the newer version cannot be carried back.",
      "The sentence lists them: a property or a value that the older version does not have, or one that a step works out and of which it does not say how it goes back. Say that with `back:` in the step, or give the changes up with `--accept-loss`. Nothing was changed.",
      failing: "strata downgrade a.db --from kept.db",
      said:
        """
        a.db was not taken back to version 4: 1 change of version 5 cannot be carried back.
          Person: 1 changed, 0 created, 0 deleted
          lost: Person.nickname of 1 object: the step to version 5 works it out and says with no `back:` how it goes back: _row 7
        Say with `back:` in the steps how they go back, or give them up with --accept-loss.
        """,
      repaired: "strata downgrade a.db --from kept.db --accept-loss"),
  ]
}
