import StrataCLI
import StrataCipher

PageCiphers.install()
StrataCLI.main()
