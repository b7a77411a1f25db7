"""What all titles share. Pure: no file, clock, network or language in here.

- ``refusals``  the three ways an order can be refused
- ``chance``    labelled draws, and their three makers
- ``position``  a position as plain data: copy, digest, conversion
- ``title``     the contract of a title and of a phase
- ``steps``     one step of a game: the orders asked for, and all that follows until the game asks again
- ``cases``     rules as data: position, orders, chance, what must hold
- ``playout``   random games and counted action trees
- ``registry``  the titles that are installed
"""
