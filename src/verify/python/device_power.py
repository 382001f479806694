"""Compares measured mean power with the model of specs/step-times.md#energy, fits the model, and leaves out groups.

usage: python3 src/verify/python/device_power.py DIRECTORY

DIRECTORY has lm-arena-chat.json, sourcegraph-fim.json and gpqa.json of ml-energy/leaderboard (public/data/tasks).
"""

import json
import pathlib
import statistics
import sys

# Board power in W and dense 16-bit peak in TFLOP/s.
DEVICES = {"H100": (700, 989), "B200": (1000, 2250)}
# Mean prompt tokens of the tasks; the files contain only output lengths.
PROMPTS = {"lm-arena-chat": 200, "sourcegraph-fim": 1500, "gpqa": 260}
PRODUCT = (0.65, 1.5)


def rows(directory):
    """Yields device, kind of model, FLOPs utilisation and power relative to the board power."""
    for task, prompt in PROMPTS.items():
        for run in json.loads((directory / f"{task}.json").read_text())["configurations"]:
            if not run.get("avg_batch_size"):
                continue
            watts, tflops = DEVICES[run["gpu_model"]]
            tokens = run["output_throughput_tokens_per_sec"] * (1 + prompt / run["avg_output_len"])
            flops = 2 * run["activated_params_billions"] * 1e9 * tokens / run["num_gpus"]
            kind = "experts" if "MoE" in run["architecture"] else "dense or hybrid"
            yield run["gpu_model"], kind, flops / (tflops * 1e12), run["avg_power_watts"] / run["num_gpus"] / watts


def errors(points, busy, slope):
    return sorted(abs(min(1, busy + slope * used) / power - 1) for _, _, used, power in points)


def text(points, busy, slope):
    found = errors(points, busy, slope)
    return f"n {len(found)}, median {100 * statistics.median(found):.1f} %, P90 {100 * found[len(found) * 9 // 10]:.1f} %"


def fit(points):
    grid = [(busy / 100, slope / 10) for busy in range(30, 91) for slope in range(0, 41)]
    return min(grid, key=lambda values: statistics.median(errors(points, *values)))


def main():
    points = list(rows(pathlib.Path(sys.argv[1])))
    print("board power         ", text(points, 1, 0))
    print("values of the product", text(points, *PRODUCT))
    print("fitted", fit(points), text(points, *fit(points)))
    for column in (0, 1):
        for group in sorted({point[column] for point in points}):
            values = fit([point for point in points if point[column] != group])
            print("without", group, values, text([point for point in points if point[column] == group], *values))


if __name__ == "__main__":
    main()
