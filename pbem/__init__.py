"""pbem: board games by mail, adjudicated in the open.

The rooms of the house, from the bottom up (arrows run one way, a test holds them to it):

- ``engine``   what all titles share: positions, phases, chance, refusals; pure
- ``titles``   one folder per board game
- ``orders``   what a player sends: order file, plan, signature, seal, armour
- ``campaign`` a game in progress on disk: intake, turn, ledger, beacon, audit
- ``post``     how orders come in and reports go out
- ``publish``  ledger entries into reports, pages and pictures
- ``cli``      the door
"""

__version__ = "0.1.0"
