"""The result of labelling: all its numbers in one object, as a self-contained HTML page and as JSON."""

from core.report.document import report_json
from core.report.page import report_html
from core.report.result import Labelled, Result, result

__all__ = ["Labelled", "Result", "report_html", "report_json", "result"]
