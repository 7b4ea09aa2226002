# SPDX-License-Identifier: Apache-2.0
"""Runs in each kernel before anything else: what clients get of tables, charts and values besides text and pictures."""


def _install():
    import datetime, math, re, sys

    from IPython import get_ipython
    from IPython.core.formatters import BaseFormatter, JSONFormatter
    from traitlets.traitlets import ObjectName, Unicode

    def plain(value):
        """The same of JSON's own types; what is no number is nothing."""
        if isinstance(value, dict):
            return {str(key): plain(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(each) for each in value]
        if isinstance(value, (datetime.date, datetime.datetime)):
            return value.isoformat()
        if type(value).__module__ == "numpy":
            if type(value).__name__ == "datetime64":
                return str(value.astype("datetime64[s]"))
            return plain(value.tolist())
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        return str(value)

    class Data(BaseFormatter):
        format_type = Unicode("e2b/data")
        print_method = ObjectName("_repr_e2b_data_")
        _return_type = (dict, str)

        def __call__(self, value):
            pandas = sys.modules.get("pandas")
            if pandas is None or not isinstance(value, pandas.DataFrame):
                return super().__call__(value)
            return plain(value.to_dict(orient="list"))

    class Chart(BaseFormatter):
        format_type = Unicode("e2b/chart")
        print_method = ObjectName("_repr_e2b_chart_")
        _return_type = (dict, str)

        def __call__(self, value):
            figures = sys.modules.get("matplotlib.figure")
            if figures is None or not isinstance(value, figures.Figure):
                return super().__call__(value)
            try:
                return figure(value)
            except Exception:  # a picture without data is better than none
                return {}

    class Json(JSONFormatter):
        def __call__(self, value):
            if isinstance(value, (list, dict)) and simple(value):
                return plain(value), {"expanded": True}
            return super().__call__(value)

    def simple(value, depth=20):
        if isinstance(value, dict):
            return depth > 0 and all(simple(each, depth - 1) for each in value.values())
        if isinstance(value, (list, tuple)):
            return depth > 0 and all(simple(each, depth - 1) for each in value)
        return value is None or isinstance(value, (bool, int, float, str)) or type(value).__module__ == "numpy"

    # -- charts: what was drawn, read from the artists of a figure

    def figure(drawn):
        axes = drawn.get_axes()
        if not any(each.has_data() for each in axes):
            return {}
        if len(axes) == 1:
            return plain(chart(axes[0]))
        title = drawn._suptitle.get_text() if drawn._suptitle else None
        return plain({"type": "superchart", "title": title, "elements": [chart(each) for each in axes]})

    def is_grid(line):
        x, y = list(line.get_xdata()), list(line.get_ydata())
        return len(x) == len(y) == 2 and (x[0] == x[1] or y[0] == y[1])

    def chart(axes):
        from matplotlib import collections, lines, patches, text

        drawn = [each for each in axes._children if not isinstance(each, text.Text)]

        def all_are(*types, of=drawn):
            return all(isinstance(each, types) for each in of)

        base = {"title": axes.get_title() or None}
        if all_are(lines.Line2D):
            return {"type": "line", **base, **labels(axes), **scales(axes), "elements": curves(axes)}
        if all_are(patches.PathPatch, lines.Line2D):
            return boxes(axes, base)
        rest = [each for each in drawn if not (isinstance(each, lines.Line2D) and is_grid(each))]
        if all_are(collections.PathCollection, of=rest):
            clouds = [{"label": each.get_label(), "points": [list(point) for point in each.get_offsets()]} for each in rest]
            return {"type": "scatter", **base, **labels(axes), **scales(axes), "elements": clouds}
        if all_are(patches.Wedge, of=rest):
            pieces = [{"label": each.get_label(), "angle": round(abs(each.theta2 - each.theta1), 4), "radius": each.r} for each in rest]
            return {"type": "pie", **base, "elements": pieces}
        if all_are(patches.Rectangle, of=rest):
            return bars(axes, base)
        return {"type": "unknown", **base, "elements": []}

    def labels(axes):
        told = {}
        for side, label in (("x", axes.get_xlabel() or None), ("y", axes.get_ylabel() or None)):
            unit = re.search(r"\s\((.*?)\)|\[(.*?)\]", label or "")
            told[side + "_label"], told[side + "_unit"] = label, (unit.group(1) or unit.group(2)) if unit else None
        return told

    def turned(told):
        return {{"x": "y", "y": "x"}[key[0]] + key[1:]: value for key, value in told.items()}

    def scales(axes):
        from matplotlib import dates

        told = {}
        for side, axis, scale in (("x", axes.xaxis, axes.get_xscale()), ("y", axes.yaxis, axes.get_yscale())):
            ticks, texts = list(axis.get_ticklocs()), [each.get_text() for each in axis.get_ticklabels()]
            is_time = isinstance(axis.converter, dates._SwitchableDateConverter)
            numbered = all(tick == i and str(i) != text for i, (tick, text) in enumerate(zip(ticks, texts)))
            told[side + "_ticks"] = [dates.num2date(tick).isoformat() for tick in ticks] if is_time else [float(tick) for tick in ticks]
            told[side + "_tick_labels"] = texts
            told[side + "_scale"] = "datetime" if is_time else scale if scale != "linear" or not numbered else "categorical"
        return told

    def curves(axes):
        told = []
        for line in axes.get_lines():
            if not is_grid(line):
                label = line.get_label()
                name = f"Line {label[6:]}" if label.startswith("_child") else label
                told.append({"label": name, "points": [list(point) for point in zip(line.get_xdata(), line.get_ydata())]})
        return told

    def bars(axes, base):
        told, elements = labels(axes), []
        for container in axes.containers:
            label = container.get_label()
            group = f"Group {label[10:]}" if label.startswith("_container") else label
            lying = container.orientation == "horizontal"
            if lying:
                told = turned(labels(axes))
            names = [each.get_text() for each in (axes.get_yticklabels() if lying else axes.get_xticklabels())]
            values = [each.get_width() if lying else each.get_height() for each in container]
            elements += [{"label": name, "group": group, "value": value} for name, value in zip(names, values)]
        return {"type": "bar", **base, **told, "elements": elements}

    def boxes(axes, base):
        """Boxes stand on one axis and reach along the other; whiskers, medians and outliers are lines that lie within their width."""
        from matplotlib import lines

        frames = [each.get_path().vertices for each in axes.patches]
        widths = [frame[:, 0].max() - frame[:, 0].min() for frame in frames]
        lying = len({round(float(width), 6) for width in widths}) > 1
        across, along = (1, 0) if lying else (0, 1)
        names = [each.get_text() for each in (axes.get_yticklabels() if lying else axes.get_xticklabels())]
        elements = []
        for name, frame in zip(names, frames):
            low, high = float(frame[:, across].min()), float(frame[:, across].max())
            first, third = float(frame[:, along].min()), float(frame[:, along].max())
            told = {"label": name, "min": first, "first_quartile": first, "median": first, "third_quartile": third, "max": third, "outliers": []}
            for line in (each for each in axes.lines if isinstance(each, lines.Line2D)):
                points = list(zip(line.get_xdata(), line.get_ydata()))
                if not points or not all(low - 1e-9 <= point[across] <= high + 1e-9 for point in points):
                    continue
                values = [float(point[along]) for point in points]
                if line.get_linestyle() in ("None", "none", " ", ""):
                    told["outliers"] += values
                elif len(values) == 2 and values[0] == values[1] and first <= values[0] <= third and points[0][across] != points[1][across]:
                    told["median"] = values[0]
                told["min"] = min([told["min"], *values]) if line.get_linestyle() not in ("None", "none", " ", "") else told["min"]
                told["max"] = max([told["max"], *values]) if line.get_linestyle() not in ("None", "none", " ", "") else told["max"]
            elements.append(told)
        return {"type": "box_and_whisker", **base, **(turned(labels(axes)) if lying else labels(axes)), "elements": elements}

    shell = get_ipython()
    formatters = shell.display_formatter.formatters
    for kind, made in (("e2b/data", Data), ("e2b/chart", Chart), ("application/json", Json)):
        formatters[kind] = made(parent=shell.display_formatter)


_install()
del _install
