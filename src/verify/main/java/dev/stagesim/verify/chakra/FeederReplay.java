package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.feed.Feeder;
import dev.stagesim.sim.trace.feed.FeederVersion;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The order of nodes from the feeders: one at a time, and all ready nodes together. */
final class FeederReplay {
    private static final Pattern MODE = Pattern.compile("(v1|v3)\\.(serial|batch)\\.txt");
    private static final String FAILED = "EXCEPTION ";
    private static final Pattern ABSENT =
            Pattern.compile("Node (\\d+) in (\\w+?)(?:_dep)? graph, but not found in index.*");

    private FeederReplay() {}

    static List<Difference> replay(ChakraCase recorded) throws IOException {
        List<Difference> differences = new ArrayList<>();
        Path trace = recorded.folder().resolve("in").resolve("t.0.et");
        for (Map.Entry<String, byte[]> file : recorded.expected().entrySet()) {
            Matcher mode = MODE.matcher(file.getKey());
            if (mode.matches()) {
                String wanted = new String(file.getValue(), StandardCharsets.UTF_8);
                FeederVersion version = mode.group(1).equals("v1") ? FeederVersion.V1 : FeederVersion.V3;
                String actual = run(trace, version, mode.group(2).equals("batch"));
                if (!same(wanted, actual)) {
                    differences.add(new Difference(file.getKey(), wanted, actual));
                }
            }
        }
        return differences;
    }

    /** Compares errors by meaning, because their wording differs from the reference. */
    private static boolean same(String wanted, String actual) {
        if (!wanted.startsWith(FAILED)) {
            return wanted.equals(actual);
        }
        String reason = wanted.substring(FAILED.length()).strip();
        Matcher absent = ABSENT.matcher(reason);
        if (absent.matches()) {
            return actual.contains("node " + absent.group(1) + " is a " + absent.group(2) + " dependency, but not in");
        }
        return reason.startsWith("Failed to read global metadata")
                ? actual.contains("there are no global metadata")
                : reason.startsWith("No dependancy free nodes") && actual.contains("no node is free of");
    }

    private static String run(Path trace, FeederVersion version, boolean isBatch) throws IOException {
        StringBuilder out = new StringBuilder();
        int done = 0;
        try {
            Feeder feeder = FeederFiles.open(trace, version);
            while (feeder.isOpen()) {
                List<EtNode> nodes = ready(feeder, isBatch);
                nodes.forEach(
                        node -> out.append(Long.toUnsignedString(node.id())).append(isBatch ? ' ' : '\n'));
                if (isBatch) {
                    out.append('\n');
                }
                if (nodes.isEmpty()) {
                    return out.append("STUCK after ").append(done).append('\n').toString();
                }
                nodes.forEach(feeder::finish);
                done += nodes.size();
            }
        } catch (StageException refused) {
            return FAILED + refused.getMessage();
        }
        return out.append("DONE ").append(done).append('\n').toString();
    }

    private static List<EtNode> ready(Feeder feeder, boolean isBatch) {
        List<EtNode> nodes = new ArrayList<>();
        EtNode node = feeder.take();
        while (node != null) {
            nodes.add(node);
            node = isBatch ? feeder.take() : null;
        }
        return nodes;
    }
}
