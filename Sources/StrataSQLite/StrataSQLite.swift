// StrataSQLite: see docs/architecture.md.
