"""The types of what `core/__init__.py` loads when it is used."""

from .bank import Bank as Bank
from .bank import history as history
from .contests import best as best
from .design import Design as Design
from .design import Plan as Plan
from .design import Scheme as Scheme
from .design import recommend as recommend
from .estimation import Estimate as Estimate
from .estimation import Interval as Interval
from .estimation import stratified as stratified
from .gates import gate as gate
from .judge import judge as judge
from .judge import judged as judged
from .planning import forecast as forecast
from .pool import Pool as Pool
from .prospect import Prospect as Prospect
from .readers import read as read
from .report import report as report
from .simulation import rounds as rounds
from .study import Study as Study
from .study import labelled as labelled
from .study import reproduce as reproduce
from .study import request as request
from .study import runs as runs

__version__: str
