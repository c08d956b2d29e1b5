// StrataYAML: see docs/architecture.md.
