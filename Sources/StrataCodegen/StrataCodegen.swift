// StrataCodegen: see docs/architecture.md.
