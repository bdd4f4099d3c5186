"""Who gets which real part: apps ask here, tests hand in fakes instead."""
