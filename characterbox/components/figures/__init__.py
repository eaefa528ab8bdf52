"""The figures of the page Reliability and validity: tables as HTML, charts as Plotly figures, and both as CSV.

All that takes long is worked out in a process beside the app's: `reckoning` is what is done there, `aside` how it is
asked, `source` and `waiting` how the page comes to it. A running page is needed by these two, `charts`, and
`theme.tokens`. Names and reasons come from users and files: they are data, and every module here escapes them for where
they go (HTML, Plotly's mark-up, spreadsheets).
"""
