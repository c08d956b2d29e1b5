import PeopleMigrations
import StrataCLI

StrataCLI.main(migrations: PeopleMigrations.self)
