"""The report of an exam, and of the calibration of similarity, as one self-contained HTML page."""

from glossator.exam.html.exam_page import exam_page, fit_page

__all__ = ["exam_page", "fit_page"]
