package dev.stagesim.verify.astra;

import dev.stagesim.io.astra.StatisticLines;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.verify.Difference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Compares a run with the recorded values: cycles, exposed communication, order, and statistics of every NPU. */
final class FigureCheck {
    private static final String ABSENT = "absent";

    private final String backend;
    private final int npus;
    private final LocatedJson expected;
    private final List<Difference> differences = new ArrayList<>();

    FigureCheck(String backend, int npus, LocatedJson expected) {
        this.backend = backend;
        this.npus = npus;
        this.expected = expected;
    }

    List<Difference> differences(SimulationResult result) {
        compare("finish_cycles", expected.get("finish_cycles"), texts(result.finishNs()));
        compare("exposed_comm_cycles", expected.get("exposed_comm_cycles"), exposed(result));
        compareOrder(result.finishOrder());
        compareStatistics(result);
        return differences;
    }

    private static List<String> texts(long[] values) {
        List<String> texts = new ArrayList<>();
        for (long value : values) {
            texts.add(value < 0 ? ABSENT : Long.toString(value));
        }
        return texts;
    }

    /** The reference prints negative values as unsigned 64-bit numbers. */
    private static List<String> exposed(SimulationResult result) {
        List<String> texts = new ArrayList<>();
        for (int rank = 0; rank < result.finishNs().length; rank++) {
            boolean isDone = result.finishNs()[rank] >= 0;
            texts.add(isDone ? Long.toUnsignedString(result.exposedNs()[rank]) : ABSENT);
        }
        return texts;
    }

    private void compare(String what, LocatedJson recorded, List<String> actual) {
        for (int rank = 0; rank < npus; rank++) {
            String wanted = value(recorded, rank);
            if (!wanted.equals(actual.get(rank))) {
                differences.add(new Difference(backend + " " + what + " of NPU " + rank, wanted, actual.get(rank)));
                return;
            }
        }
    }

    private static String value(LocatedJson recorded, int rank) {
        LocatedJson one =
                recorded.value() instanceof JsonValue.Arr ? recorded.items().get(rank) : recorded.get("all");
        if (one.isNull()) {
            return ABSENT;
        }
        return one.value() instanceof JsonValue.Int number ? Long.toString(number.value()) : one.asString();
    }

    private void compareOrder(int[] actual) {
        LocatedJson recorded = expected.get("finish_order");
        int[] wanted = recorded.value() instanceof JsonValue.Arr
                ? recorded.items().stream().mapToInt(LocatedJson::asInt).toArray()
                : Arrays.stream(actual).sorted().toArray();
        int at = Arrays.mismatch(wanted, actual);
        if (at >= 0) {
            differences.add(new Difference(backend + " finish_order at " + at, rank(wanted, at), rank(actual, at)));
        }
    }

    private static String rank(int[] order, int at) {
        return at < order.length ? Integer.toString(order[at]) : ABSENT;
    }

    private void compareStatistics(SimulationResult result) {
        List<Map<String, String>> actual = result.statistics().stream()
                .map(its -> its.map(StatisticLines::of).orElse(Map.of()))
                .toList();
        LocatedJson recorded = expected.get("stats");
        TreeSet<String> labels = new TreeSet<>();
        actual.forEach(lines -> labels.addAll(lines.keySet()));
        labels.addAll(recorded.members().keySet());
        if (recorded.members().isEmpty() && isLogLost()) {
            return;
        }
        for (String label : labels) {
            List<String> values = actual.stream()
                    .map(lines -> lines.getOrDefault(label, ABSENT))
                    .toList();
            if (recorded.has(label)) {
                compare(label, recorded.get(label), values);
            } else {
                differences.add(new Difference(backend + " " + label, ABSENT, values.toString()));
            }
        }
    }

    /** Statistics that were recorded as plain lines of the log are compared nowhere else. */
    private boolean isLogLost() {
        return expected.has("other_log");
    }
}
