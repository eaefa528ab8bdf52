"""The figures of the page Reliability and validity: tables as HTML, charts as Plotly figures, and both as CSV.

Nothing here needs a running page but `theme.tokens`. Names and reasons come from users and files: they are data, and
every module here escapes them for where they go (HTML, Plotly's mark-up, spreadsheets).
"""
