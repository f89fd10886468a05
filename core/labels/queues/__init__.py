"""Queues: lists sent to a running labelling tool, and their labels fetched back, over its HTTP interface.

    request ──► push ──► Label Studio, Argilla, Langfuse ──► people
                                                               │
    settle ◄── core.labels.read ◄── a file ◄── pull ◄──────────┘

Each item carries its id, the plan's id and its inclusion probability, by which a second push knows what is there. Keys
are handed in by the caller; they are stored nowhere and stand in no message.
"""

from .assignment import Assignment
from .services import SERVICES, Queue, Service
from .transfer import Pushed, pull, push

__all__ = ["SERVICES", "Assignment", "Pushed", "Queue", "Service", "pull", "push"]
