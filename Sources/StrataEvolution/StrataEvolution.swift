// StrataEvolution: see docs/architecture.md.
