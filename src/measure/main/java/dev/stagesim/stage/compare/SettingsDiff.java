package dev.stagesim.stage.compare;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Setting;
import dev.stagesim.serving.EngineFamily;
import dev.stagesim.stage.compare.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** Compares the settings of two runs that affect speed. */
final class SettingsDiff {
    /** One setting of both runs; empty if a run does not state it. */
    record Row(Setting setting, Optional<String> real, Optional<String> sim) {
        boolean differs() {
            return real.isPresent() && sim.isPresent() && !same(real.get(), sim.get());
        }

        private static boolean same(String a, String b) {
            try {
                return Double.parseDouble(a) == Double.parseDouble(b);
            } catch (NumberFormatException e) {
                return a.toLowerCase(Locale.ROOT).equals(b.toLowerCase(Locale.ROOT));
            }
        }
    }

    static final String OTHER_ENGINE = "other_engine";

    private static final Optional<String> SIMULATOR = Optional.of("stagesim");

    private SettingsDiff() {}

    /** Returns the settings that at least one run states. */
    static List<Row> rows(ComparedRun real, ComparedRun sim) {
        List<Row> rows = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            Row row = new Row(setting, stated(real, setting), stated(sim, setting));
            if (row.real().isPresent() || row.sim().isPresent()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static Optional<String> stated(ComparedRun side, Setting setting) {
        return Optional.ofNullable(side.facts().settings().get(setting));
    }

    /**
     * Describes the differences. A simulator always differs from the engine that it simulates, so that difference is
     * omitted.
     */
    private static List<String> differences(Diagnosis d, Predicate<Setting> wanted) {
        return rows(d.real(), d.sim()).stream()
                .filter(row -> wanted.test(row.setting()) && row.differs() && !isSimulator(row))
                .map(row -> row.setting().title() + ": " + row.real().orElseThrow() + " "
                        + d.real().label() + ", " + row.sim().orElseThrow() + " "
                        + d.sim().label())
                .toList();
    }

    private static boolean isSimulator(Row row) {
        return (row.setting() == Setting.ENGINE || row.setting() == Setting.ENGINE_VERSION)
                && (row.real().equals(SIMULATOR) || row.sim().equals(SIMULATOR));
    }

    /** The simulation has the scheduler of another engine than the measured one. */
    static Optional<Finding> otherEngine(Diagnosis d) {
        Optional<String> measured = stated(d.real(), Setting.ENGINE);
        Optional<String> family =
                stated(d.real(), Setting.SCHEDULER).or(() -> measured).flatMap(EngineFamily::of);
        Optional<String> simulated = stated(d.sim(), Setting.ENGINE_CARD).or(() -> stated(d.sim(), Setting.SCHEDULER));
        boolean isMeasured =
                !measured.equals(SIMULATOR) && stated(d.sim(), Setting.ENGINE).equals(SIMULATOR);
        if (!isMeasured || family.isEmpty() || simulated.isEmpty() || family.equals(EngineFamily.of(simulated.get()))) {
            return Optional.empty();
        }
        return Optional.of(new Finding(
                OTHER_ENGINE,
                Kind.LIKELY,
                "The simulation is of another engine",
                List.of("Measured: " + measured.or(() -> family).orElseThrow() + ". Simulated: "
                        + simulated.orElseThrow() + "."),
                "Simulate the measured engine: engine=" + family.orElseThrow() + "."));
    }

    /** KV memory differs. */
    static Optional<Finding> kvBlocks(Diagnosis d) {
        return differences(d, setting -> setting == Setting.KV_BLOCKS).stream()
                .map(text -> new Finding(
                        "kv_blocks",
                        Kind.LIKELY,
                        "The sides have different numbers of KV blocks",
                        List.of(text
                                + "; blocks limit how many requests run at once, so queueing and preemption differ."),
                        "Set the simulation's number of blocks to the value in the measured engine's log."))
                .findFirst();
    }

    /** Other settings differ. */
    static Optional<Finding> others(Diagnosis d) {
        return Finding.of(
                "settings",
                Kind.POSSIBLE,
                "The sides are configured differently",
                differences(d, setting -> setting != Setting.KV_BLOCKS).stream()
                        .map(text -> text + ".")
                        .toList(),
                "Make them equal, unless you compare different settings on purpose.");
    }
}
