"""GitHub as the post office: orders arrive in issues, comments, pull requests and pushed files; receipts go out as comments.

Everything that comes from there was written by strangers. It is capped, taken as data, and never reaches a shell, a script or a log.
"""
