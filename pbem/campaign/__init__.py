"""A game in progress on disk. Each room does one thing:

- ``folder``    where things lie, atomic writes, the lock
- ``secret``    the one secret and everything derived from it
- ``beacon``    the hash chain that chance hangs on
- ``records``   game file, receipts and ledger entries as signed TOML
- ``clock``     times and closing times
- ``creation``  a new campaign, invites
- ``files``     what players have filed: read back, opened, current revisions
- ``plans``     what a plan answers when the game asks
- ``table``     the position and how it is played on; pure
- ``replay``    the ledger played again: the story so far, with every fault found
- ``dryrun``    what a plan would do if nobody else moved
- ``intake``    a file in, a signed receipt out
- ``turn``      everything that can be played, one signed entry out
- ``audit``     anybody's proof that all of it is right
- ``keyring``   what a player's machine remembers: letter keys, processors' keys
"""
