import Strata
import StrataSource

extension RuntimePages {
  static let files: [DiagnosticPage] = [
    page(
      .fileMissing, "file-missing", "There is no file of this name.",
      "Nothing was made in its place: `strata create` makes new files.",
      failing: "people migrate missing.db", said: "missing.db does not exist.",
      repaired: "people create missing.db\npeople migrate missing.db"),
    page(
      .fileUnreadable, "file-unreadable", "The file is there, and this user may not read it.",
      "Change its mode or owner, or run the command as the user it belongs to.",
      failing: "chmod 000 a.db\npeople migrate a.db",
      said: "a.db cannot be read: this user has no permission to read it.",
      repaired: "chmod 600 a.db\npeople migrate a.db"),
    page(
      .fileIsFolder, "file-is-folder", "A folder was named where a database file belongs.",
      "Name the file inside of it.", failing: "mkdir a.db\npeople migrate a.db",
      said: "a.db is a folder, not a database file."),
    page(
      .notADatabase, "file-not-a-database", "The file is no SQLite database.",
      "The sentence says what it looks like. It is left as it is.",
      failing: "echo 'Dear diary' > a.db\npeople migrate a.db",
      said: "a.db is not a database file: it starts with the text “Dear diary”."),
    page(
      .fileDamaged, "file-damaged", "The file is a database, and damaged.",
      "It may be cut off, or was overwritten in parts, or its tables are not those of the schema that it carries: a column that is missing, a trigger of another program. docs/layout.md says what a file has to be. Put a backup in its place; `sqlite3 a.db .recover` shows what is still readable. An upgrade never works on a damaged file, because it could not tell lost objects from deleted ones.",
      failing:
        "people create a.db --version 0 --sample 500\ntruncate -s 4096 a.db\npeople migrate a.db",
      said:
        "a.db is damaged: it has 4096 bytes where its header says 28672. It was cut off; restore it from a backup."
    ),
    page(
      .fileEncrypted, "file-encrypted",
      "The file looks encrypted, and there is no key, or a wrong one.",
      "This edition reads no encrypted files. Decrypt it with the program that wrote it.",
      failing: "people migrate secret.db", said: "secret.db is encrypted."),
    page(
      .foreignFile, "file-foreign",
      "The file is a SQLite database of another program or another schema.",
      "Only a file that says which schema and version it has can be upgraded. Write the objects of another one as JSON lines, and `strata import` brings them in.",
      failing: "sqlite3 a.db 'CREATE TABLE t(a)'\npeople migrate a.db",
      said: "a.db is a SQLite database that Strata did not write."),
    page(
      .fileIsNewer, "file-newer", "A newer program wrote the file.",
      "There is no way back to an older version: what the newer one added would be lost. Use the program that wrote it, or a newer one.",
      failing: "people migrate newer.db",
      said:
        "newer.db is at version 9 of People; the newest version that this program knows is 5. Use a newer program."
    ),
    page(
      .unknownShape, "file-unknown-shape", "The file has a schema that no frozen version has.",
      "It was written by a working version that was never frozen, or by another branch. The sentence names the closest version and the differences. Where all of them are automatic, a file of an unfrozen version is brought to the current one.",
      failing: "people migrate experiment.db",
      said:
        "experiment.db says that it is at version 5 of People, but no frozen version has its shape. The closest is version 4: Pet.colour is added."
    ),
    page(
      .unknownVersion, "version-unknown", "A version or model was named that there is none of.",
      "`strata inspect` says what a file has, `schemas/versions/` which versions are frozen.",
      failing: "people create a.db\npeople migrate a.db --to 77",
      said: "People has no version 77; it has 0, 1, 2, 3, 4, 5."),
    page(
      .brokenHistory, "history-broken",
      "The history of frozen versions cannot be read, or does not hold together.",
      "`strata check` says what is wrong with it and where; `strata freeze --repair` shows and mends the lock.",
      failing: "strata create a.db   # where schemas/versions/ is empty",
      said: "People has no frozen version."),
    page(
      .readOnly, "file-read-only", "The file needs an upgrade, and cannot be written.",
      "Its mode, its folder or the volume forbid it. `--output NEW` writes the upgraded content elsewhere and leaves the file alone.",
      failing: "chmod 400 a.db\npeople migrate a.db",
      said:
        "a.db needs an upgrade and cannot be written: this user may only read it, or its disk is read-only. Change that, or write the upgraded file elsewhere with --output.",
      repaired: "people migrate a.db --output b.db"),
    page(
      .busy, "file-busy", "Another process is writing the file.",
      "An upgrade waits for it for a while. Close the program that has the file open, and run the upgrade again.",
      failing: "people migrate a.db",
      said: "a.db is being written by another process. Try again when it has finished."),
    page(
      .diskFull, "disk-full", "There is no room for the upgrade.",
      "`strata plan FILE` says how much it needs. The file is as it was. Free some space, or write to another disk with `--output`.",
      failing: "people migrate a.db",
      said:
        "The upgrade of a.db needs 52428800 bytes of disk space, and 1048576 are free in /data. Make room, or write to another disk with --output.",
      repaired: "people migrate a.db --output /another/disk/a.db"),
    page(
      .inputOutput, "file-input-output",
      "The system could not read or write, for a reason that has no code of its own here.",
      "The sentence carries the system's reason. The file is as it was, or fully upgraded.",
      failing: "people create a.db\npeople create a.db",
      said: "a.db exists already; nothing was written."),
    page(
      .cancelled, "upgrade-cancelled", "The upgrade was cancelled.",
      "By Ctrl-C, or by the program's progress callback. The file is as it was; run the upgrade again whenever it suits.",
      failing: "people migrate a.db   # and Ctrl-C",
      said: "The upgrade of a.db was cancelled; the file is as it was."),
  ]
}
