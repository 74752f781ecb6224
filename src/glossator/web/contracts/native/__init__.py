"""The native contract, which the widget speaks."""
