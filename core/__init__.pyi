"""The types of what `core/__init__.py` loads when it is used."""

from core.design import Design as Design
from core.design import Plan as Plan
from core.design import Scheme as Scheme
from core.design import recommend as recommend
from core.estimation import Estimate as Estimate
from core.estimation import Interval as Interval
from core.planning import forecast as forecast
from core.pool import Pool as Pool
from core.readers import read as read
from core.report import report as report
from core.simulation import rounds as rounds
from core.study import Study as Study
from core.study import labelled as labelled
from core.study import reproduce as reproduce
from core.study import request as request

__version__: str
