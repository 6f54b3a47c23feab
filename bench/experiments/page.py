def write_page(told): return ""
