import PeopleMigrations
import StrataCLI
import StrataCipher

PageCiphers.install()
StrataCLI.main(migrations: PeopleMigrations.self)
