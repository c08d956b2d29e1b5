// StrataFrontend: see docs/architecture.md.
