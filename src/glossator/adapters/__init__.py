"""Everything behind a port; foreign exceptions end here."""
