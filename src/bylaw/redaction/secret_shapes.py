"""What secrets look like in the middle of a text.

Every pattern here runs in `re`, so each is written to cost no more than the length of the text times a bound: an
attempt begins at a literal, what it may read before it fails is bounded or ends where no other attempt begins, and no
repeat stands inside another.
"""

from __future__ import annotations

import re

# Every branch of a glance begins with one plain character, and then `re` skips from one such character to the next,
# at some 3 ns a character; that is what an ordinary text costs.
_MARKS_OF_SHAPES = (
    r"A(?:KIA|SIA|Iza|GE-SECRET)"
    r"|J(?<=eyJ)"
    r"|_(?:(?<=gh[pousr]_)|(?<=_pat_)|(?<=[sr]k_)|(?<=hf_)|(?<=npm_)|(?<=whsec_)|(?<=shpat_)|(?<=_v1_))"
    r"|-(?:(?<=sk-)|(?<=xox[abeoprs]-)|(?<=xapp-)|(?<=glpat-)|(?<=pypi-)|----BEGIN|[pau](?<=[ \t]-.))"
    r"|\.(?:(?<=SG\.)|(?<=ya29\.)|slack\.com/)"
    r"|B(?:earer|EARER)|bearer"
)
_shape_glance = re.compile(_MARKS_OF_SHAPES + r"|:(?=//[^\s/]*@)").search

glance = re.compile(_MARKS_OF_SHAPES + "|=|:|--").search
"""Whether a text is worth a look at all."""

_RUN = "[A-Za-z0-9_-]"

_SHAPES = re.compile(
    rf"""
    (?P<whole>
        (?:AKIA|ASIA)[0-9A-Z]{{16,}}
      | AIza{_RUN}{{30,}}
      | AGE-SECRET-KEY-1[0-9A-Z]{{20,}}
      | eyJ{_RUN}{{8,2048}}\.{_RUN}{{4,}}(?:\.{_RUN}*){{0,3}}
      | gh[pousr]_[A-Za-z0-9]{{20,}}
      | github_pat_[A-Za-z0-9_]{{20,}}
      | glpat-{_RUN}{{16,}}
      | (?:sk|rk)_(?:live|test)_[A-Za-z0-9]{{10,}}
      | whsec_[A-Za-z0-9+/=]{{20,}}
      | shpat_[a-fA-F0-9]{{20,}}
      | hf_[A-Za-z0-9]{{30,}}
      | npm_[A-Za-z0-9]{{30,}}
      | do[opr]_v1_[a-f0-9]{{40,}}
      | pypi-AgE{_RUN}{{20,}}
      | SG\.{_RUN}{{16,}}\.{_RUN}{{16,}}
      | ya29\.{_RUN}{{20,}}
      | xox[abeoprs]-[A-Za-z0-9-]{{10,}}
      | xapp-[A-Za-z0-9-]{{20,}}
      | sk-(?:ant|proj|svcacct|admin|or-v1)-(?={_RUN}{{0,60}}[0-9]){_RUN}{{16,}}
      | (?<![A-Za-z0-9])sk-(?=[A-Za-z]{{0,60}}[0-9])[A-Za-z0-9]{{20,}}{_RUN}*
      | sk-(?=[a-z0-9]{{0,60}}[A-Z])(?=[A-Za-z]{{0,60}}[0-9])[A-Za-z0-9]{{32,}}
      | -----BEGIN[ ][A-Z0-9 ]{{0,40}}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----
        [\s\S]*?(?:-----END[ ][A-Z0-9 ]{{0,60}}-----|\Z)
    )
  | (?P<before>
        hooks\.slack\.com/services/(?=[A-Za-z0-9])
      | (?:[Bb]earer|BEARER)[ \t]+(?=[A-Za-z._~+/=-]{{0,60}}[0-9]|[A-Za-z0-9._~+/=-]{{24}})(?=[A-Za-z0-9._~+/=-]{{8}})
    )[A-Za-z0-9._~+/=-]+
  | (?P<user>://[^\s/?\#@:"'<>\[\]]*:)[^\s/"'<>]+(?=@)
    """,
    re.VERBOSE,
)

# `password=…` and its kin. The names of the first kind hold a secret whatever it looks like; what stands behind the
# second kind, unquoted, must look like one, because `token: str` and `secret=True` are no secrets.
_ASSIGNED = re.compile(
    r"""
    (?:
        (?P<strong> (?:pass(?:word|wd|phrase|code)|pwd|(?<![a-z])pass) )
      | (?P<weak>
            secret | token | credentials? | (?<![a-z])auth | (?<![a-z])jwt
          | (?:api|access|secret|private|account|signing|encryption|master|shared)[_-]?key )
    )
    (?P<sep> \\{0,3}["']?[ \t]{0,4}(?:=>|:=|[=:])[ \t]{0,4} )
    (?:
        (?P<open> ["'] ) (?: \\[\s\S] | (?!(?P=open))[^\\] )+
      | (?P<slashed> \\{1,3}(?P<quote>["']) ) (?: (?!\\{0,3}(?P=quote))[\s\S] )+
      | (?! (?: str|string|bytes|text|any|optional|none|null|nil|undefined|true|false|varchar|char|int|secretstr )
            (?: [\s,;:)\[\]|=&"'] | \Z ) )
        (?(strong) [^\s"'&;]+
                 | (?: (?=[^\s"'&;0-9]{0,15}[0-9])[^\s"'&;]{6,} | [^\s"'&;]{16,} ) )
    )
  | (?P<flag> --(?:[a-z0-9]{1,20}[-_]){0,3}(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key)
              (?:[ \t]{1,4}|=) )
    (?! - ) (?: (?P<flagged>["'])(?:(?!(?P=flagged))[\s\S])+ | [^\s"']+ )
  | (?P<header> authorization\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,3}["'])? )
    (?: (?:basic|bearer|digest|token|apikey|negotiate|aws4-hmac-sha256)[ \t][^\r\n"'\\]+
      | [^\s"'0-9]{0,60}[0-9][^\s"']* )
  | (?P<cookie> cookie\\{0,3}["']?:[ \t]{0,4}(?:\\{0,3}["'])? ) [^\s=;"']{1,200}=[^\r\n"']+
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Programs that take a password behind a flag of one letter. What stands between the two is bounded.
_COMMANDS = re.compile(
    r"""
    (?P<command>
        \b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?)\b [^|;\n]{0,200}? [ \t]-p (?=[^\s-])
      | \bcurl\b [^|;\n]{0,500}? [ \t](?:-u|--user)[ \t=]{0,4} (?P<quoted>["'])? [^\s:"']{0,100} :
      | \bsshpass\b [ \t]{1,4}-p[ \t]{0,4}
      | \bredis-cli\b [^|;\n]{0,200}? [ \t]-a[ \t]{1,4}
    )
    (?(quoted) [^"'\n]+ | (?: (?P<mark>["'])(?:(?!(?P=mark))[\s\S])+ | [^\s"']+ ) )
    """,
    re.VERBOSE,
)
_command_glance = re.compile("mysql|mariadb|curl|sshpass|redis-cli").search


def _names_a_secret(text: str) -> bool:
    low = text.lower()
    return (
        "pass" in low
        or "key" in low
        or "token" in low
        or "secret" in low
        or "auth" in low
        or "pwd" in low
        or "cred" in low
        or "cookie" in low
        or "jwt" in low
    )


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where the secrets in a text begin and end; what introduces one (`password=`, `Bearer `) is not part of it."""
    spans = []
    if _shape_glance(text) is not None:
        spans += [(_start(found, "before", "user"), found.end()) for found in _SHAPES.finditer(text)]
    if _names_a_secret(text):
        introductions = ("sep", "open", "slashed", "flag", "flagged", "header", "cookie")
        spans += [(_start(found, *introductions), found.end()) for found in _ASSIGNED.finditer(text)]
    if _command_glance(text) is not None:
        spans += [(_start(found, "command", "mark"), found.end()) for found in _COMMANDS.finditer(text)]
    return spans


def _start(found: re.Match[str], *introductions: str) -> int:
    return max(found.start(), *(found.end(group) for group in introductions))
