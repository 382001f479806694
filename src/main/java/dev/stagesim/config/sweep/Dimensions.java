package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.ChoiceSweep;
import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.GlobSweep;
import dev.stagesim.config.grammar.IntervalSweep;
import dev.stagesim.config.grammar.RangePoints;
import dev.stagesim.config.grammar.RangeSweep;
import dev.stagesim.config.grammar.Serializer;
import dev.stagesim.config.grammar.Sweep;
import dev.stagesim.config.grammar.TextValue;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ZipSweep;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Turns overrides into dimensions. */
final class Dimensions {
    private final SweepOptions options;

    Dimensions(SweepOptions options) {
        this.options = options;
    }

    /** A dimension that sampling can draw from: intervals too. */
    Dimension drawn(ConfigOverride override) {
        return override.value().isPresent() && override.value().get() instanceof IntervalSweep interval
                ? new IntervalDimension(override, interval)
                : of(override);
    }

    Dimension of(ConfigOverride override) {
        if (override.value().isPresent() && override.value().get() instanceof ZipSweep zip) {
            return zip(override, zip);
        }
        if (!override.isSweep()) {
            List<String> only = List.of(Serializer.serialise(override, options.dialect()));
            return new Column(only, only.size());
        }
        Value value = override.value().orElseThrow();
        String left = override.keyElement() + override.type().operator();
        return column(left, points(override, override.key(), (Sweep) value));
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
        return value.equals(TextValue.EMPTY) ? "" : Serializer.serialise(value, options.dialect());
    }

    private Dimension zip(ConfigOverride override, ZipSweep zip) {
        List<Dimension> columns = new ArrayList<>();
        for (ZipSweep.Column column : zip.columns()) {
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
                        "all keys of a zip need equally many values");
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

    private List<? extends Value> points(ConfigOverride override, String group, Sweep sweep) {
        List<? extends Value> points = list(override, group, sweep);
        if (points.isEmpty() && options.dialect() == Dialect.STAGE) {
            throw empty(override, group, sweep);
        }
        return points;
    }

    private List<? extends Value> list(ConfigOverride override, String group, Sweep sweep) {
        if (sweep instanceof ChoiceSweep choice) {
            choice.items().forEach(item -> Serializer.serialise(plain(override, item), options.dialect()));
            return choice.shuffle() ? shuffled(override, choice.items()) : choice.items();
        }
        if (sweep instanceof RangeSweep range) {
            List<? extends Value> points =
                    RangePoints.of(range, options.dialect()).all();
            return range.shuffle() ? shuffled(override, points) : points;
        }
        if (sweep instanceof GlobSweep glob) {
            List<String> names = GlobFilter.filter(glob, options.groupOptions().apply(group), options.dialect());
            return names.stream().map(TextValue::new).toList();
        }
        if (sweep instanceof IntervalSweep) {
            throw fault(
                    override,
                    "an interval cannot be swept over",
                    "list points: range(0,1,0.1), linspace(0,1,11) or choice(..); or draw from it: sweeper=random, sweeper=lhs");
        }
        throw new IllegalStateException("zip inside a dimension");
    }

    /** Hydra writes a glob among values as the map of its fields. */
    private Value plain(ConfigOverride override, Value item) {
        boolean hydraGlob = item instanceof GlobSweep && options.dialect() == Dialect.HYDRA;
        if (item instanceof Sweep && !hydraGlob) {
            throw fault(override, "a sweep inside a sweep cannot be expanded", "list all values in one choice");
        }
        return item;
    }

    /** Dimensions differ in their order even with one seed. */
    private List<? extends Value> shuffled(ConfigOverride override, List<? extends Value> points) {
        List<Value> copy = new ArrayList<>(points);
        Collections.shuffle(
                copy, new Random(options.seed() * 31 + override.keyElement().hashCode()));
        return copy;
    }

    private StageException empty(ConfigOverride override, String group, Sweep sweep) {
        if (!(sweep instanceof GlobSweep)) {
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

    /** A dimension whose overrides are already text. */
    private record Column(List<String> texts, int size) implements Dimension {
        @Override
        public List<String> at(int index) {
            return List.of(texts.get(index));
        }
    }
}
