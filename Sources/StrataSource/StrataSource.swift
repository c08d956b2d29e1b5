// StrataSource: see docs/architecture.md.
