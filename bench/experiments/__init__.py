"""What `make reproduce` is made of: data, solvers, tuning, and the page."""
