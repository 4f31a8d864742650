"""The state machine: detect → plan → (rectify → verify)* → [one re-plan] → reason → cross-check.

Every loop is bounded here, by counting, and not by the framework's recursion limit: a plan has at most
``profile.max_steps`` steps, and there are at most ``1 + profile.max_replans`` plans.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable
from copy import copy
from typing import Protocol, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from . import stages
from .context import SolverContext
from .conversation import Conversation
from .profiles import Profile
from .records import PictureWork
from .state import SolverState, Update, checked_update

__all__ = ["SolverGraph", "build_graph", "run_graph", "with_checkpoints"]

Stage = Callable[[SolverState, SolverContext], Update | Awaitable[Update]]
SolverGraph = CompiledStateGraph[SolverState, SolverContext, SolverState, SolverState]


def build_graph(profile: Profile, *, ask_model: bool = True) -> SolverGraph:
    """The compiled machine for a profile. It holds no question's data and can be used for any number of them.

    With ``ask_model=False`` it ends when the pictures are repaired.
    """
    builder: StateGraph[SolverState, SolverContext, SolverState, SolverState] = StateGraph(SolverState, SolverContext)
    detectors = _detectors(profile)
    for name, stage in {**detectors, **_REPAIR, **(_ASK if ask_model else {})}.items():
        builder.add_node(name, _node(name, stage))
    for name in detectors:
        builder.add_edge(START, name)
        builder.add_edge(name, "plan")
    if not detectors:
        builder.add_edge(START, "plan")
    done = "reason" if ask_model else END
    after_plan: dict[Hashable, str] = {"rectify": "rectify", "done": done}
    builder.add_conditional_edges("plan", _after_plan, after_plan)
    builder.add_edge("rectify", "verify")
    after_verify: dict[Hashable, str] = {"rectify": "rectify", "plan": "plan", "done": done}
    builder.add_conditional_edges("verify", _after_verify(profile), after_verify)
    if ask_model:
        builder.add_edge("reason", "cross_check")
        builder.add_edge("cross_check", END)
    return builder.compile()


def with_checkpoints(graph: SolverGraph, saver: BaseCheckpointSaver[str]) -> SolverGraph:
    """The same machine, whose states are left with a saver: compiling one anew takes as long as all its stages."""
    saved = copy(graph)
    saved.checkpointer = saver
    return saved


async def run_graph(
    graph: SolverGraph, conversation: Conversation, context: SolverContext, *, thread: str | None = None
) -> SolverState:
    """Runs a question through the machine to its end.

    With a checkpointer, ``thread`` names the run: an interrupted one goes on where it stopped, a finished one is
    returned as it is.
    """
    profile = context.profile
    # Super-steps of the longest possible way, for LangGraph's own guard.
    steps = 10 + (1 + profile.max_replans) * (1 + 2 * profile.max_steps)
    config: RunnableConfig = {"recursion_limit": steps}
    start: SolverState | None = {"conversation": conversation.plain()}
    if graph.checkpointer is not None:
        config["configurable"] = {"thread_id": thread}
        known = await graph.aget_state(config)
        if "solution" in known.values:
            return cast(SolverState, known.values)
        # One that ended while its question was being written down names no next stage; it begins anew.
        if known.next:
            start = None
    return cast(SolverState, await graph.ainvoke(start, config, context=context))


_REPAIR: dict[str, Stage] = {"plan": stages.plan, "rectify": stages.rectify, "verify": stages.verify}
_ASK: dict[str, Stage] = {"reason": stages.reason, "cross_check": stages.cross_check}


def _detectors(profile: Profile) -> dict[str, Stage]:
    if not profile.rectify:
        return {}
    found: dict[str, Stage] = {"detect_offline": stages.detect_offline}
    if profile.ask_model_for_stress:
        found["ask_model_for_stress"] = stages.ask_model_for_stress
    return found


class _Node(Protocol):
    async def __call__(self, state: SolverState, *, runtime: Runtime[SolverContext]) -> Update: ...


def _node(name: str, stage: Stage) -> _Node:
    async def node(state: SolverState, *, runtime: Runtime[SolverContext]) -> Update:
        context = runtime.context
        started = context.clock()
        result = stage(state, context)
        update = checked_update(name, await result if inspect.isawaitable(result) else result)
        spent = update.get("spent")
        seconds = round(context.clock() - started, 6)
        update["spent"] = {**(spent if isinstance(spent, dict) else {}), "seconds": seconds}
        return update

    return node


def _pending(state: SolverState) -> bool:
    return any(PictureWork.model_validate(item).pending for item in state["work"])


def _after_plan(state: SolverState) -> str:
    return "rectify" if _pending(state) else "done"


def _after_verify(profile: Profile) -> Callable[[SolverState], str]:
    def choose(state: SolverState) -> str:
        if _pending(state):
            return "rectify"
        work = [PictureWork.model_validate(item) for item in state["work"]]
        failed = any(item.tries and not item.rectified for item in work)
        return "plan" if failed and state["attempt"] < profile.max_replans else "done"

    return choose
