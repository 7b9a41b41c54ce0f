"""Sessions counted in Redis, for agents that run in several processes; needs the extra `redis`."""

from bylaw.guard.sessions.redis.clients import Clients
from bylaw.guard.sessions.redis.sessions import RedisSessions

__all__ = ["Clients", "RedisSessions"]
