"""The table of methods: Uniform, the paper's, peers' and Neyman's on the same pools (`neyman lab --against`).

Each method says who describes it; peers' own packages run in a separate environment (`make env-peers`), and without it
a plain version stands in their place that calls itself "-like".
"""

from .method_comparison import BUDGETS, NEEDS, ROUNDS, against, against_table, against_tables, comparable, losing
from .methods import RIVALS, Rival
from .simulated_lists import SCENARIOS, Contest, Lists, Scenario, contests, measures

__all__ = [
    "BUDGETS",
    "NEEDS",
    "RIVALS",
    "ROUNDS",
    "SCENARIOS",
    "Contest",
    "Lists",
    "Rival",
    "Scenario",
    "against",
    "against_table",
    "against_tables",
    "comparable",
    "contests",
    "losing",
    "measures",
]
