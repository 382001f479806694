"""Prints how much longer attention takes with unequal contexts in a batch than with their mean.

usage: python3 src/verify/python/context_skew.py DIRECTORY

DIRECTORY has the *_skew.csv.gz tables of casys-kaist/LLMServingSim (columns regime, t_mean_us, t_skew_us).
"""

import collections
import csv
import gzip
import pathlib
import sys


def main():
    ratios = collections.defaultdict(list)
    for table in sorted(pathlib.Path(sys.argv[1]).glob("*_skew.csv.gz")):
        with gzip.open(table, "rt") as rows:
            for row in csv.DictReader(rows):
                ratios[row["regime"]].append(float(row["t_skew_us"]) / float(row["t_mean_us"]) - 1)
    if not ratios:
        sys.exit("no tables in " + sys.argv[1])
    for regime, values in sorted(ratios.items()):
        values.sort()
        median, high = (100 * values[int(len(values) * quantile)] for quantile in (0.5, 0.9))
        print(f"{regime}: {len(values)} cases, longer by {median:.1f} % (median), {high:.1f} % (P90)")


if __name__ == "__main__":
    main()
