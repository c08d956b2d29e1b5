import StrataCLI

StrataCLI.main()
