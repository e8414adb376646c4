"""Draws how cost grows. Readable on light and on dark pages."""
import math

WIDTH, HEIGHT, LEFT, TOP, PANEL = 760, 300, 70, 40, 270

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #3a3f47 }
  .title { font-weight: 600 }
  .grid { stroke: #8a93a1; stroke-opacity: .3 }
  .line { fill: none; stroke: #1f6fb2; stroke-width: 2.5 }
  .dot { fill: #1f6fb2 }
  .even { stroke: #8a6d00; stroke-width: 1.5; stroke-dasharray: 5 4 }
  .note { fill: #7a6000 }
  @media (prefers-color-scheme: dark) {
    text { fill: #d5dae1 }
    .line { stroke: #6db6f2 }
    .dot { fill: #6db6f2 }
    .even { stroke: #d9b84a }
    .note { fill: #d9b84a }
  }"""


def label(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def panel(left, title, points):
    """Both axes logarithmic: what grows evenly is a line as steep as the dashed one."""
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(max(y, 1e-3)) for _, y in points]
    low_x, high_x = min(xs), max(max(xs), min(xs) + 1)
    low_y = math.floor(min(ys))
    high_y = max(math.ceil(max(ys)), low_y + 1)
    at_x = lambda value: left + PANEL * (value - low_x) / (high_x - low_x)  # noqa: E731
    at_y = lambda value: TOP + (HEIGHT - TOP - 50) * (high_y - value) / (high_y - low_y)  # noqa: E731
    parts = [f'<text class="title" x="{left}" y="22">{title}</text>']
    for power in range(low_y, high_y + 1):
        y = at_y(power)
        parts.append(f'<line class="grid" x1="{left}" x2="{left + PANEL}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{label(10 ** power)}</text>')
    for x, _ in points:
        parts.append(f'<text x="{at_x(math.log10(x)):.1f}" y="{HEIGHT - 28}" text-anchor="middle">{x:,}</text>')
    # Linear growth from 100 mounts on, as far as it stays inside.
    begin = next((i for i, (x, _) in enumerate(points) if x >= 100), 0)
    run = min(high_x - xs[begin], high_y - ys[begin])
    if run > 0:
        parts.append(f'<line class="even" x1="{at_x(xs[begin]):.1f}" y1="{at_y(ys[begin]):.1f}" '
                     f'x2="{at_x(xs[begin] + run):.1f}" y2="{at_y(ys[begin] + run):.1f}"/>')
    path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in zip(xs, ys))
    parts.append(f'<polyline class="line" points="{path}"/>')
    for (x, y), log_x, log_y in zip(points, xs, ys):
        parts.append(f'<circle class="dot" cx="{at_x(log_x):.1f}" cy="{at_y(log_y):.1f}" r="4"/>')
        # Beside the line, which rises to the right.
        shift, up, anchor = {xs[0]: (2, 9, "start"), xs[-1]: (-8, 9, "end")}.get(log_x, (8, -15, "start"))
        shown = f"{y:,.1f}" if y < 10 else f"{y:,.0f}"
        parts.append(f'<text x="{at_x(log_x) + shift:.1f}" y="{at_y(log_y) - up:.1f}" text-anchor="{anchor}">{shown}</text>')
    return "\n".join(parts)


def growth_chart(points):
    """Points are (mounts, % of a core, MB)."""
    spoken = "; ".join(f"{mounts:,} mounts: {cpu:.1f} % of a core, {memory:,.0f} MB" for mounts, cpu, memory in points)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t d">
<title id="t">How the cost grows with the number of mounts</title>
<desc id="d">{spoken}</desc>
<style>{STYLE}
</style>
{panel(LEFT, "CPU, % of a core", [(mounts, cpu) for mounts, cpu, _ in points])}
{panel(LEFT + PANEL + 110, "peak memory, MB", [(mounts, memory) for mounts, _, memory in points])}
<text class="note" x="{LEFT}" y="{HEIGHT - 6}">dashed: if it grew evenly from 100 mounts on</text>
<text x="{WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">mounts at a step of 15 s</text>
</svg>
"""
