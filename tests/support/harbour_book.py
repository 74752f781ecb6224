"""A small made-up book, with terms that it defines, steps, code, and headings that say nothing."""

from __future__ import annotations

from pathlib import Path

PAGES = {
    "index.md": """# The Harbour Handbook

This handbook tells a new harbour warden of Tarn how boats come in, how the lamps are kept and who is asked
when something breaks. It was written by the wardens themselves and is read again every spring.

## Summary

Boats come in by the north gate, lamps are lit at dusk, and the bell is rung in fog.
""",
    "gates.md": """# The gates

The harbour has two gates, and a boat may only use the one that its draught allows.

## The north gate

The north gate is a passage forty fathoms wide that is dredged twice a year. Every boat that draws more than two
fathoms comes in here, on the flood, with a pilot on board.

## What a tally board is

A *tally board* is a painted plank on which the warden chalks every boat that passes a gate. The tally board is
wiped at noon, after its rows have been copied into the ledger.

## Opening the sluice

Turn the capstan eight times against the sun, wait until the water behind the sluice is level, then draw the
pins. Never open the sluice on the ebb: the current tears the chains from the wall.

```sh
sluice --turns 8 --wait level
```

## Summary

Two gates, one board, one sluice.
""",
    "lamps.md": """# The lamps

Lamps show a skipper where the walls are, long before the walls can be seen.

## Trimming a wick

Cut the wick straight across with the brass shears, and leave as much above the collar as a thumbnail is wide.
A wick that is cut aslant smokes, and a smoking lamp cannot be seen from the bar.

## Lamp oil

Lamp oil is a clear oil pressed from rape seed that burns without a smell. The chandler on Quay Street sells it in
tins of four gallons, and a tin lasts one lamp eleven nights.

## Red lamps versus green lamps

A red lamp stands on the left wall and a green lamp on the right, as a skipper sees them who comes in from the sea.
The red lamps are lit first, because the left wall is the longer one.

## Summary

Trim, fill, light.
""",
    "fog.md": """# Fog

When the far wall cannot be seen from the near one, the harbour is in fog and its own rules hold.

## The fog bell

The fog bell is a bronze bell on the mole that is rung once every minute while the fog lasts. Two wardens take turns
of half an hour, for the rope blisters the hands.

## How boats are counted in fog

Each skipper answers the bell with a horn, one blast for every boat in tow. The warden writes the blasts into the fog
log, which is compared with the tally board once the air clears.

## Summary

Ring, listen, write.
""",
    "crew.md": """# The crew

Nine people keep the harbour, and each of them has a deputy. The deputy of the warden is chosen by lot.

## The warden

**Warden**: the person who has the keys of both gates, answers for the ledger, and sleeps in the gate house.

## Hiring a pilot

Ask at the pilots' bench before the flood begins, and give the draught of the boat and the name of its owner. A pilot
is paid on the quay, in silver, and never before the boat is made fast.

## Getting started

Walk both walls with your deputy on the first evening, and learn the names of the lamps by heart before you sleep.
""",
    "dues.md": """# Harbour dues

What a boat pays depends on its kind. The fee of a trawler or of a barge is taken by the warden, and the purpose of
the fee is told to the skipper. A dues book has 300 leaves and lasts about nine years.

## Fees by kind

| Boat | Fee | Purpose |
|---|---|---|
| Trawler | 40 crowns | dredging of the north gate |
| Barge | 65 crowns | new chains for the sluice |
| Dinghy | none | – |
""",
    "repairs.md": """# Repairs

What is broken is written on the slate beside the gate house door, and mended in the order in which it stands there.

## Splicing a mooring rope

Unlay the strands for the length of a forearm, marry the ends, and tuck each strand over one and under the next until
five tucks are made. A splice holds better than any knot and does not jam in a fairlead.

## Caulking

Caulking is the driving of tarred oakum into the seams of a hull. It is done on the hard at low water, from the keel
upwards, and the seams are payed with hot pitch the same day. Nobody sails before the caulking is dry.
""",
}


def write_book(folder: Path) -> Path:
    for name, text in PAGES.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    return folder
