package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.RangePoints;
import dev.stagesim.config.grammar.Serializer;
import dev.stagesim.config.grammar.SweepValue;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Converts overrides to dimensions. */
record Dimensions(SweepOptions options) {
    /** Returns a dimension for sampling, which may be an interval. */
    Dimension sampled(ConfigOverride override) {
        return override.value().isPresent() && override.value().get() instanceof SweepValue.Interval interval
                ? new IntervalDimension(override, interval)
                : of(override);
    }

    Dimension of(ConfigOverride override) {
        if (override.value().isPresent() && override.value().get() instanceof SweepValue.Zip zip) {
            return zip(override, zip);
        }
        if (!override.isSweep()) {
            List<String> only = List.of(Serializer.serialise(override, options.dialect()));
            return new Column(only, only.size());
        }
        Value value = override.value().orElseThrow();
        String left = override.keyElement() + override.type().operator();
        return column(left, points(override, override.key(), (SweepValue) value));
    }

    private Dimension column(String left, List<? extends Value> points) {
        return new Dimension() {
            @Override
            public int size() {
                return points.size();
            }

            @Override
            public List<String> at(int index) {
                return List.of(left + text(points.get(index)));
            }
        };
    }

    private String text(Value value) {
        return value.equals(Value.Text.EMPTY) ? "" : Serializer.serialise(value, options.dialect());
    }

    private Dimension zip(ConfigOverride override, SweepValue.Zip zip) {
        List<Dimension> columns = new ArrayList<>();
        for (SweepValue.Zip.Column column : zip.columns()) {
            String group = column.key().replaceFirst("^\\++", "").replaceFirst("@.*", "");
            columns.add(column(column.key() + "=", points(override, group, column.values())));
        }
        int size = columns.get(0).size();
        for (int i = 1; i < columns.size(); i++) {
            if (columns.get(i).size() != size) {
                throw fault(
                        override,
                        "'" + zip.columns().get(i).key() + "' has "
                                + columns.get(i).size() + " values where '"
                                + zip.columns().get(0).key() + "' has " + size,
                        "all keys of a zip need the same number of values");
            }
        }
        return new Dimension() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public List<String> at(int index) {
                return columns.stream()
                        .flatMap(column -> column.at(index).stream())
                        .toList();
            }
        };
    }

    private List<? extends Value> points(ConfigOverride override, String group, SweepValue sweep) {
        List<? extends Value> points = list(override, group, sweep);
        if (points.isEmpty() && options.dialect().rejectsEmptySweeps()) {
            throw empty(override, group, sweep);
        }
        return points;
    }

    private List<? extends Value> list(ConfigOverride override, String group, SweepValue sweep) {
        if (sweep instanceof SweepValue.Choice choice) {
            choice.items().forEach(item -> Serializer.serialise(plain(override, item), options.dialect()));
            return choice.shuffle() ? shuffled(override, choice.items()) : choice.items();
        }
        if (sweep instanceof SweepValue.Range range) {
            List<? extends Value> points =
                    RangePoints.of(range, options.dialect()).all();
            return range.shuffle() ? shuffled(override, points) : points;
        }
        if (sweep instanceof SweepValue.Glob glob) {
            List<String> names = GlobPattern.filter(glob, options.groupOptions().apply(group), options.dialect());
            return names.stream().map(Value.Text::new).toList();
        }
        if (sweep instanceof SweepValue.Interval) {
            throw fault(
                    override,
                    "an interval cannot be swept over",
                    "list points: range(0,1,0.1), linspace(0,1,11) or choice(..); or draw from it: sweeper=random,"
                            + " sweeper=lhs");
        }
        throw new IllegalStateException("zip inside a dimension");
    }

    /** Returns an item of a list of values. Hydra writes a glob among values as the map of its fields. */
    private Value plain(ConfigOverride override, Value item) {
        boolean isListed = item instanceof SweepValue.Glob && options.dialect().listsGlobs();
        if (item instanceof SweepValue && !isListed) {
            throw fault(override, "a sweep inside a sweep cannot be expanded", "list all values in one choice");
        }
        return item;
    }

    /** Shuffles points. The key is part of the seed, so dimensions with the same seed have different orders. */
    private List<? extends Value> shuffled(ConfigOverride override, List<? extends Value> points) {
        List<Value> copy = new ArrayList<>(points);
        Collections.shuffle(
                copy, new Random(options.seed() * 31 + override.keyElement().hashCode()));
        return copy;
    }

    private StageException empty(ConfigOverride override, String group, SweepValue sweep) {
        if (!(sweep instanceof SweepValue.Glob)) {
            return fault(override, "the sweep has no values", "the end of a range is exclusive");
        }
        List<String> known = options.groupOptions().apply(group);
        if (known.isEmpty()) {
            return fault(override, "'" + group + "' is not a group, which glob needs", "list values: key=a,b");
        }
        return StageException.input(problem(override, "no option of '" + group + "' matches")
                .options(known.stream().limit(50).toList()));
    }

    private static Problem problem(ConfigOverride override, String what) {
        return Problem.of("override error", override.origin().describe(), what);
    }

    private static StageException fault(ConfigOverride override, String what, String hint) {
        return StageException.input(problem(override, what).hint(hint));
    }

    /** A dimension with formatted overrides. */
    private record Column(List<String> texts, int size) implements Dimension {
        @Override
        public List<String> at(int index) {
            return List.of(texts.get(index));
        }
    }

    /**
     * A continuous range for sampling sweepers: uniform, or log-uniform if tagged {@code log}. Values have six
     * significant digits. {@code int(interval(a,b))} draws integers, including both ends.
     */
    private static final class IntervalDimension implements Dimension {
        private static final String LOG = "log";
        private static final MathContext DIGITS = new MathContext(6);

        private final String left;
        private final double low;
        private final double high;
        private final boolean whole;
        private final boolean log;

        IntervalDimension(ConfigOverride override, SweepValue.Interval interval) {
            this.left = override.keyElement() + override.type().operator();
            this.low = number(override, interval.start());
            this.high = number(override, interval.end());
            this.whole = interval.start() instanceof Value.Int;
            this.log = interval.tags().contains(LOG);
            if (!(low < high) || (log && low <= 0)) {
                throw StageException.input(Problem.of(
                        "override error",
                        override.origin().describe(),
                        log && low <= 0 ? "a logarithmic interval must be above 0" : "the interval is empty"));
            }
        }

        private static double number(ConfigOverride override, Value.Scalar end) {
            String text = Serializer.serialise(end, Dialect.STAGE);
            try {
                double value = Double.parseDouble(text);
                if (Double.isFinite(value)) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // reported below
            }
            throw StageException.input(Problem.of(
                    "override error",
                    override.origin().describe(),
                    "'" + text + "' is not a valid end of an interval"));
        }

        @Override
        public int size() {
            return 0;
        }

        @Override
        public List<String> at(int index) {
            throw new IllegalStateException("an interval has no list of values");
        }

        @Override
        public List<String> at(double share) {
            return List.of(left + value(share));
        }

        private String value(double share) {
            double end = whole ? high + 1 : high;
            double value = log ? low * Math.pow(end / low, share) : low + (end - low) * share;
            if (whole) {
                return Long.toString((long) Math.min(high, Math.floor(value)));
            }
            BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
            return rounded.scale() < 0 ? rounded.setScale(0).toPlainString() : rounded.toPlainString();
        }
    }
}
