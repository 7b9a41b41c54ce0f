"""What the server does in one step, and where a session is kept there.

A session is two keys in one cluster slot. `counts` is a hash: counter → what was kept and what is held. `places` is a
sorted set of leases, each spelled as a token and the counters it holds. Its score is the time it runs out, or, once
it is settled, the time of that below zero, so that telling the server twice is as telling it once.
All times are the server's, in milliseconds.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from urllib.parse import quote, unquote

import msgspec


class Script(msgspec.Struct, frozen=True, kw_only=True):
    source: str
    sha: str


def _script(body: str) -> Script:
    source = _PRELUDE + body
    return Script(source=source, sha=hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


_PRELUDE = """
local counts, places = KEYS[1], KEYS[2]
local ttl, lease = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function add(place, n)
  local counters = string.match(place, ' (.*)')
  for counter in string.gmatch(counters, '%S+') do
    if redis.call('HINCRBY', counts, counter, n) < 0 then redis.call('HSET', counts, counter, 0) end
  end
end

local function free_what_ran_out()
  for _, place in ipairs(redis.call('ZRANGEBYSCORE', places, 0, now)) do
    add(place, -1)
    redis.call('ZREM', places, place)
  end
  redis.call('ZREMRANGEBYSCORE', places, 2 * lease - now, -1)
end

local function stay()
  redis.call('PEXPIRE', counts, ttl)
  redis.call('PEXPIRE', places, ttl)
end
"""

TAKE = _script("""
local place = ARGV[3]
free_what_ran_out()
local standing, full = {}, 0
for i = 4, #ARGV, 2 do
  local count = tonumber(redis.call('HGET', counts, ARGV[i]) or 0)
  local limit = tonumber(ARGV[i + 1])
  standing[#standing + 1] = count
  if full == 0 and limit and count >= limit then full = #standing end
end
local known = place ~= '' and redis.call('ZSCORE', places, place)
if known then full = 0 end
if full == 0 and not known then
  for i = 1, #standing do standing[i] = redis.call('HINCRBY', counts, ARGV[2 * i + 2], 1) end
  if place ~= '' then redis.call('ZADD', places, now + lease, place) end
end
stay()
return {full, unpack(standing)}
""")
"""Takes one of every counter, or none: for good, or, with a place, until its lease runs out."""

KEEP = _script("""
local place = ARGV[3]
if not redis.call('ZSCORE', places, place) then add(place, 1) end
redis.call('ZADD', places, -now, place)
stay()
""")
"""Counts a place for good, even if its lease has run out: the call did happen."""

GIVE_BACK = _script("""
local place = ARGV[3]
local score = tonumber(redis.call('ZSCORE', places, place) or nil)
if score and score >= 0 then add(place, -1) end
redis.call('ZADD', places, -now, place)
stay()
""")

RENEW = _script("""
for i = 3, #ARGV do
  local score = tonumber(redis.call('ZSCORE', places, ARGV[i]) or nil)
  if not score then add(ARGV[i], 1) end
  if not score or score >= 0 then redis.call('ZADD', places, now + lease, ARGV[i]) end
end
stay()
""")
"""Holds places for another lease. One that has run out is counted again, since its holder is there after all."""

COUNTS = _script("""
free_what_ran_out()
return redis.call('HGETALL', counts)
""")

FORGET = _script("""
redis.call('DEL', counts, places)
""")


def keys_of(session_id: str, *, prefix: str) -> tuple[str, str]:
    """No two pairs of prefix and session share a key: what follows the last colon of the tag is the session alone."""
    tag = f"{{{prefix}:{quoted(session_id).replace(':', '%3A')}}}"
    return f"{tag}:counts", f"{tag}:places"


def new_place(counters: Sequence[str]) -> str:
    """A spelling that no other lease has."""
    return " ".join((secrets.token_urlsafe(12), *map(quoted, counters)))


def quoted(text: str) -> str:
    """Without blanks and braces, and for every text another one."""
    return quote(text, safe=":/@,=+", errors="surrogatepass")


def unquoted(text: str) -> str:
    return unquote(text, errors="surrogatepass")
