// StrataCLI: see docs/architecture.md.
