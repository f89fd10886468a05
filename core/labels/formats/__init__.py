"""The formats in which labels go out and come back, one module a tool."""
