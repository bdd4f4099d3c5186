"""Starts the children, joins them, shows what they say, and stops them in order.

Loads no model library, no audio library and no interface: it must survive what kills those.
"""
