// The steps of docs/migrations.md: Tests/StepExampleTests holds the page against these files, and runs them.
