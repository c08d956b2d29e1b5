// Strata: see docs/architecture.md.
