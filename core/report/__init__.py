"""The report of a study: sentences, one self-contained HTML page, and JSON."""

from core.report.document import report_json
from core.report.page import report, report_html

__all__ = ["report", "report_html", "report_json"]
