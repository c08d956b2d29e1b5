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
      "It may be cut off, or was overwritten in parts, or its tables are not those of the schema that it carries: a column that is missing, a trigger of another program. docs/layout.md says what a file has to be. Put a backup in its place; `strata salvage a.db --output new.db` saves what is still readable. An upgrade never works on a damaged file, because it could not tell lost objects from deleted ones.",
      failing:
        "people create a.db --version 0 --sample 500\ntruncate -s 4096 a.db\npeople migrate a.db",
      said:
        "a.db is damaged: it has 4096 bytes where its header says 28672. It was cut off; restore it from a backup."
    ),
    page(
      .fileEncrypted, "file-encrypted",
      "The file is encrypted, and no key was given.",
      "Commands read the key from a file that `--key-file` or the variable STRATA_KEY_FILE names. A file whose bytes have no order at all counts as encrypted: SQLCipher's files have no mark.",
      failing: "people migrate secret.db",
      said:
        "secret.db is encrypted, and no key was given: name the file that holds it with --key-file.",
      repaired: "people migrate secret.db --key-file secret.key"),
    page(
      .wrongKey, "file-wrong-key",
      "The key or passphrase is not the one that the file was encrypted with.",
      "The file was not changed. A file that is no database at all can look the same: nothing in SQLCipher's form tells one from the other. Without its key a file cannot be read by anyone; there is no second way in.",
      failing: "people migrate secret.db --key-file other.key",
      said:
        "secret.db was not opened: the key is not the one that it was encrypted with, or it is no encrypted database.",
      repaired: "people migrate secret.db --key-file secret.key"),
    page(
      .fileNotEncrypted, "file-not-encrypted",
      "A key was given, and the file is not encrypted.",
      "Nothing was read or changed, so that a file which ought to be encrypted and is not does not go unnoticed. `strata rekey` encrypts it. Of a file of another program that `strata adopt sqlite` reads, leave `--key-file` out: `STRATA_KEY_FILE` names the key of the database that is written.",
      failing: "people migrate plain.db --key-file secret.key",
      said:
        "plain.db was not opened: a key was given, and the file is not encrypted. Encrypt it with `strata rekey`, or leave the key out.",
      repaired: "people rekey plain.db --new-key-file secret.key"),
    // No command asks for a cipher where it opens a file, so that there is no example.
    DiagnosticPage(
      DiagnosticKind(
        MigrationError(.otherCipher, "").code, "file-other-cipher",
        "The file is encrypted with another cipher than was asked for."),
      "Commands take each file's own cipher. A program names one in its configuration, and meets STR5063 where a store is opened with another one. `strata rekey FILE --cipher aes-gcm` or `--cipher sqlcipher` brings a file from one to the other.",
      failing: [], repaired: []),
    page(
      .unknownEncryption, "file-encryption-unknown",
      "A newer program encrypted the file in a way that this one does not know.",
      "The file's first bytes name the scheme and how its key is derived. Use the program that wrote it, or a newer one.",
      failing: "people migrate newer.db --key-file secret.key",
      said:
        "newer.db was not opened: a newer program encrypted it in a way that this one does not know. Use that program."
    ),
    page(
      .keyUnusable, "key-unusable",
      "What was given as a key cannot be one, or this program cannot encrypt.",
      "A key has 32 or 64 bytes, or as many in hexadecimal digits; a passphrase is one line, and not empty. A program that was built without the package's trait `Encryption` has no ciphers.",
      failing:
        "head -c 16 /dev/urandom > short.key\npeople rekey plain.db --new-key-file short.key",
      said:
        "The key file short.key holds no key: it has 32 or 64 bytes, as many in hexadecimal digits, or one line with a passphrase.",
      repaired: "head -c 32 /dev/urandom > good.key\npeople rekey plain.db --new-key-file good.key"),
    page(
      .foreignFile, "file-foreign",
      "The file is a SQLite database of another program or another schema.",
      "Only a file that says which schema and version it has can be upgraded. Write the objects of another one as JSON lines, and `strata import` brings them in.",
      failing: "sqlite3 a.db 'CREATE TABLE t(a)'\npeople migrate a.db",
      said: "a.db is a SQLite database that Strata did not write."),
    page(
      .fileIsNewer, "file-newer", "A newer program wrote the file.",
      "An older program cannot read it, and leaves it as it is. Use the program that wrote it, or a newer one. Its `strata downgrade` takes the file back to an older version, with the file from before the upgrade (docs/downgrade.md).",
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
      said: "People has no frozen version yet. `strata freeze` makes the first one."),
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
        "The upgrade of a.db needs 52.4 MB of disk space, and 1.0 MB are free in /data. Make room, or write to another disk with --output.",
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
