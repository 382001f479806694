package dev.stagesim.verify.packet;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Required content of a report on a run that ends without a result. It is derived from the run's inputs and the recorded
 * output, not from the product's run. "Exactness" in specs/packet-network.md lists the parts that are not
 * checked.
 */
final class ExpectedReport {
    private static final int MAX_NAMED = 8;
    private static final int HOST_END = 1;
    private static final int FIELDS_PER_CABLE = 5;
    private static final String NO_FAILURE = "0 0 0";

    private final Path home;
    private final LocatedJson recorded;
    private final LocatedJson expected;
    private final boolean hasLossyCable;
    private final Map<String, String> keys = new LinkedHashMap<>();

    /**
     * A run.
     *
     * @param recorded its {@code case.json}
     * @param expected its {@code expected.json}
     */
    ExpectedReport(Path home, LocatedJson recorded, LocatedJson expected) throws IOException {
        this.home = home;
        this.recorded = recorded;
        this.expected = expected;
        hasLossyCable = hasLossyCable(home.resolve("topo.txt"));
        for (String line : Files.readAllLines(home.resolve("config.txt"), StandardCharsets.UTF_8)) {
            String[] words = line.strip().split("\\s+", 2);
            if (words.length == 2) {
                keys.put(words[0], words[1]);
            }
        }
    }

    /** Returns the texts that an error at the start must all contain; empty if the input gives no reason for an error. */
    List<String> refusal() throws IOException {
        List<String> pieces = new ArrayList<>();
        pieces.addAll(recorded.get("args").members().keySet());
        String topology = keys.getOrDefault("TOPOLOGY_FILE", "");
        if (!Files.exists(home.resolve(topology))) {
            pieces.add(topology);
        } else if (pieces.isEmpty()) {
            if (hasValue("L2_ACK_INTERVAL", 0)) {
                pieces.add("L2_ACK_INTERVAL");
            } else if (hasValue("L2_CHUNK_SIZE", 0) && number("L2_ACK_INTERVAL") > 1) {
                pieces.add("L2_CHUNK_SIZE");
            }
            if (hasValue("CC_MODE", 1) && number("RP_TIMER") == 0) {
                pieces.add("RP_TIMER");
            }
            pieces.addAll(unreachable(home.resolve(topology)));
            Path groups = home.resolve("comm_groups.json");
            if (Files.exists(groups) && Json.read(groups).has("0")) {
                pieces.add("the id '0'");
            }
        }
        return pieces;
    }

    private static boolean hasLossyCable(Path topology) throws IOException {
        if (!Files.exists(topology)) {
            return false;
        }
        return Files.readAllLines(topology, StandardCharsets.UTF_8).stream()
                .map(line -> line.strip().split("\\s+", -1))
                .anyMatch(
                        words -> words.length == FIELDS_PER_CABLE && words[FIELDS_PER_CABLE - 1].matches(".*[1-9].*"));
    }

    /** If no switch joins the hosts and a pair has no cable, the error must name a pair. */
    private static List<String> unreachable(Path file) throws IOException {
        String[] words = Files.readString(file).strip().split("\\s+", -1);
        int nodes = Integer.parseInt(words[0]);
        if (!words[1].equals("0")) {
            return List.of();
        }
        Set<Integer> pairs = new LinkedHashSet<>();
        for (int at = 3; at + FIELDS_PER_CABLE <= words.length; at += FIELDS_PER_CABLE) {
            int a = Integer.parseInt(words[at]);
            int b = Integer.parseInt(words[at + HOST_END]);
            pairs.add(Math.min(a, b) * nodes + Math.max(a, b));
        }
        return pairs.size() < nodes * (nodes - 1) / 2
                ? List.of("sends to host", "no path of switches or direct link joins them")
                : List.of();
    }

    private boolean hasValue(String key, double value) {
        return keys.containsKey(key) && number(key) == value;
    }

    /** Returns the value of a key, or 0 if absent. */
    private double number(String key) {
        return Double.parseDouble(keys.getOrDefault(key, "0"));
    }

    /**
     * Returns the texts that a report on a deadlocked run must all contain.
     *
     * <p>A killed run may have lost output, so an NPU without a recorded end may have ended. An NPU with a recorded end
     * must have ended.
     *
     * @param finishNs end time by NPU in the product, or negative
     */
    List<String> stuck(long[] finishNs) {
        List<String> pieces = new ArrayList<>();
        List<Integer> waiting = new ArrayList<>();
        for (int rank = 0; rank < finishNs.length; rank++) {
            if (finishNs[rank] < 0) {
                waiting.add(rank);
            }
        }
        pieces.add(waiting.size() + " of " + npus() + " NPUs never finish");
        waiting.stream().limit(MAX_NAMED).forEach(rank -> pieces.add("NPU " + rank + " "));
        if (drops() > 0) {
            pieces.add("dropped at switches");
        } else if (isLossy()) {
            pieces.add("lost on cables");
        }
        return pieces;
    }

    /** Returns the causes that the input allows. The report on each open flow must contain one of them. */
    List<String> causes() {
        List<String> causes = new ArrayList<>(List.of("a pause of port"));
        boolean fails = !keys.getOrDefault("LINK_DOWN", NO_FAILURE).equals(NO_FAILURE);
        if (drops() > 0 || isLossy() || fails) {
            causes.add("which was lost and is not retransmitted");
        }
        if (number("L2_ACK_INTERVAL") > 1) {
            causes.add("an acknowledgement of the end, which is sent only from " + (long) number("L2_ACK_INTERVAL")
                    + " bytes on");
        }
        if (fails) {
            causes.add("but none is left");
            causes.add("which is down");
        }
        return causes;
    }

    /**
     * Returns the causes of a deadlock without open flows, for example NPUs that wait for messages that are never sent.
     * The report must contain one of them.
     */
    static List<String> messages() {
        return List.of("were replaced by a later one of the same tag", "waits for messages from");
    }

    private int drops() {
        return expected.get("headroom_drops").asInt();
    }

    private boolean isLossy() {
        return number("ERROR_RATE_PER_LINK") > 0 || hasLossyCable;
    }

    private int npus() {
        return recorded.get("npus").asInt();
    }
}
