"""What a player sends: made on the player's machine, read by the processor. Knows neither titles nor campaign folders.

- ``encoding``  fields to bytes, derivation, base64
- ``findings``  what can be wrong, as codes and facts
- ``keys``, ``sshsig``, ``signed``  SSH keys, signatures, files with their signature below
- ``armour``    files in the body of a mail
- ``toml``, ``tomlscan``, ``write``  TOML read strictly, written in one form
- ``convert``, ``plans``, ``head``, ``file``, ``request``  from tables to orders, plans, files
- ``seal``, ``join``, ``making``  sealed orders and letters, taking a seat, signing
"""
