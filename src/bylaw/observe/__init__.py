"""Drafts of contracts on model answers, made from what was seen.

    gathered = from_audit_log([path])                 or from_traces, from_pack(root), observed(name=…, …)
    write_pack(root, drafts(gathered.observations))   contracts/, golden/, recordings/, pack.yaml
    promote_file(path)                                the draft's mark gone, every other byte as it was

A draft asks for structure, never for values: which tools were called, which arguments were there and of which type,
and the values that a tool's own schema allows. It holds for every observation it was made from. With `refresh`,
drafts that are there are brought up to date; what a file `NAME.pins.yaml` beside one names is left alone.
"""

from bylaw.observe.audit_log import from_audit_log
from bylaw.observe.gathered import Gathered
from bylaw.observe.inferring import Draft, drafts, infer
from bylaw.observe.observation import Observation, observed
from bylaw.observe.packs import PackFiles, plan_pack, write_pack
from bylaw.observe.promoting import promote, promote_file
from bylaw.observe.recorded import from_pack
from bylaw.observe.traces import from_traces
from bylaw.observe.updating import update

__all__ = [
    "Draft",
    "Gathered",
    "Observation",
    "PackFiles",
    "drafts",
    "from_audit_log",
    "from_pack",
    "from_traces",
    "infer",
    "observed",
    "plan_pack",
    "promote",
    "promote_file",
    "update",
    "write_pack",
]
