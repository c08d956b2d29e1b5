"""Runs the statements of BenchTrial.swift on SQLCipher's own library (PyPI sqlcipher3-wheels), and prints the seconds that they took."""
import os, sys, time
from sqlcipher3 import dbapi2 as sqlcipher

path, work, form, create, insert, scan, *rebuild = sys.argv[1:]
KEY = bytes((i * 7 + 3) % 256 for i in range(32)).hex()


def connect():
  connection = sqlcipher.connect(path, isolation_level=None)
  if form == "key":
    connection.execute(f"PRAGMA key = \"x'{KEY}'\"")
  for pragma in ["page_size = 4096", "journal_mode = WAL", "synchronous = NORMAL"]:
    connection.execute(f"PRAGMA {pragma}")
  return connection


def transaction(statements):
  connection = connect()
  connection.execute("BEGIN IMMEDIATE")
  for sql in statements:
    connection.execute(sql)
  connection.execute("COMMIT")
  connection.close()


def scan_all():
  connection = connect()
  connection.execute(scan).fetchall()
  connection.close()


steps = {"insert": lambda: transaction([create, insert]), "rebuild": lambda: transaction(rebuild), "scan": scan_all}
if work != "insert":
  steps["insert"]()
if work == "scan":
  descriptor = os.open(path, os.O_RDONLY)
  os.fsync(descriptor)
  os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
  os.close(descriptor)
start = time.monotonic()
steps[work]()
print(time.monotonic() - start)
