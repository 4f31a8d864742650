"""Work on the machines of a Ray cluster; nothing here imports Ray before somebody asks for it."""

from .connecting import Cluster, ClusterSettings, connected
from .crew import Crew, WorkLostError

__all__ = ["Cluster", "ClusterSettings", "Crew", "WorkLostError", "connected"]
