"""A server of one tool, as the Python package's own documentation shows it, for mcp 1.x and 2.x."""

try:
    from mcp.server import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("demo")


@server.tool()
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


if __name__ == "__main__":
    server.run()
