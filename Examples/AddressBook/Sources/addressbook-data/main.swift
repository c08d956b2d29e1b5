import Migrations
import StrataCLI

StrataCLI.main(migrations: ContactsMigrations.self)
