package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.LauncherSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every number of a configuration has a minimum and a maximum. */
final class NumericRangesTest {
    /**
     * Above every quantity of a data centre in the units of the configuration. Seeds and counts of 64 bits are exempt.
     */
    private static final double MAX = 1e18;

    private static final double MIN_POSITIVE = 1e-12;

    private static List<Class<?>> records(Class<?> sealed) {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> type : sealed.getPermittedSubclasses()) {
            found.addAll(type.isRecord() ? List.of(type) : records(type));
        }
        return found;
    }

    @Test
    void declaresAFiniteRangeForEveryNumber() {
        TreeSet<String> open = new TreeSet<>();
        Stream.concat(
                        StageRegistry.standard().stages().stream()
                                .map(Stage::spec)
                                .map(spec -> (Class<?>) spec.settings()),
                        Stream.concat(
                                records(LauncherSettings.class).stream(), records(SweeperSettings.class).stream()))
                .forEach(settings -> AccessTest.walk(
                        SettingsSchema.of(settings.asSubclass(Record.class)).shape(), (key, leaf) -> {
                            LeafType kind = leaf.shape().kind();
                            boolean isNumber = kind == LeafType.INT || kind == LeafType.LONG || kind == LeafType.DOUBLE;
                            if (isNumber && !isFinite(leaf.field(), kind)) {
                                open.add(key);
                            }
                        }));
        assertThat(open).isEmpty();
    }

    private static boolean isFinite(Field field, LeafType kind) {
        ValueRange limits = field.limits();
        if (limits.min() == null || limits.max() == null) {
            return false;
        }
        double min = limits.min().doubleValue();
        double max = limits.max().doubleValue();
        boolean isSeed = field.name().endsWith("seed");
        // An exclusive bound of 0 admits numbers near zero, and quotients of them have no bound.
        boolean admitsTiny = kind == LeafType.DOUBLE && limits.above() && min == 0;
        boolean isTiny = kind == LeafType.DOUBLE && min > 0 && min < MIN_POSITIVE;
        return min <= max && (isSeed || max <= MAX) && !admitsTiny && !isTiny;
    }
}
