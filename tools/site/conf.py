"""Sphinx: how tools/make_site.py makes a site of the documents."""
project = "sotto"
author = "the sotto maintainers"
copyright = "the sotto maintainers, Apache-2.0"
root_doc = "index"
extensions = ["myst_parser"]
smartquotes = False  # what is typed is what is shown
# links to sections as GitHub makes them
myst_heading_anchors = 4

html_theme = "furo"
html_title = "sotto"
html_static_path = ["_static"]
html_css_files = ["sotto.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "tango"
pygments_dark_style = "monokai"
# Outputs are not shell scripts: what a lexer does not understand stays plain. And lemmas are
# headings of the third level, also where there is none of the second.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6f8b", "color-brand-content": "#1f6f8b"},
    # all of them: the style sheet of Debian's package has none for the dark
    "dark_css_variables": {
        "color-problematic": "#ee5151", "color-foreground-primary": "#ffffffcc",
        "color-foreground-secondary": "#9ca0a5", "color-foreground-muted": "#81868d",
        "color-foreground-border": "#666666", "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e", "color-background-hover": "#1e2124ff",
        "color-background-hover--transparent": "#1e212400", "color-background-border": "#303335",
        "color-background-item": "#444", "color-highlighted-background": "#083563",
        "color-highlight-on-target": "#333300", "color-admonition-background": "#18181a",
        "color-brand-primary": "#6cc0dc", "color-brand-content": "#6cc0dc"},
}
