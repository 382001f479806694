package dev.stagesim.io.packet;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Topology files: numbers of nodes, switches and links, the ids of the switches, and one line per link with both ends,
 * rate, delay and error rate.
 */
public final class TopologyFiles {
    private static final String CATEGORY = "topology error";
    private static final int MAX_PROBLEMS = 20;

    /** Nodes and links of a file. */
    private static final int MAX_COUNT = 1_000_000;

    private static final int LINK_WORDS = 5;
    private static final long GIGA = 1_000_000_000L;
    private static final long MEGA = 1_000_000L;

    private final Words words;
    private final List<Problem> problems = new ArrayList<>();

    private TopologyFiles(String text, String source) {
        words = new Words(text, source);
    }

    public static PacketTopology read(Path file) throws IOException {
        if (!Files.isRegularFile(InputFile.regular(file))) {
            throw StageException.input(Problem.of(CATEGORY, file.toString(), "there is no such file")
                    .hint("the topology file lists hosts, switches and the links between them"));
        }
        return parse(InputFile.text(file), file.toString());
    }

    /** Parses a text; {@code source} names it in messages. */
    public static PacketTopology parse(String text, String source) {
        TopologyFiles reader = new TopologyFiles(text, source);
        PacketTopology topology = reader.topology();
        StageException.refuse(reader.problems);
        return topology;
    }

    private PacketTopology topology() {
        int nodes = count("number of nodes", MAX_COUNT);
        int switches = count("number of switches", nodes);
        int links = count("number of links", MAX_COUNT);
        Set<Integer> numbers = new LinkedHashSet<>();
        for (int i = 0; i < switches && isReadable(1, "the number of switch " + (i + 1) + " of " + switches); i++) {
            int number = node(nodes);
            if (!numbers.add(number)) {
                refuse("switch " + number + " is listed twice");
            }
        }
        List<Cable> cables = new ArrayList<>();
        for (int i = 0; i < links && isReadable(LINK_WORDS, "link " + (i + 1) + " of " + links); i++) {
            cable(nodes, cables);
        }
        if (problems.isEmpty() && words.hasNext()) {
            words.next();
            refuse("there is more text after the " + links + " links that the first line announces");
        }
        if (!problems.isEmpty()) {
            return new PacketTopology(0, List.of(), List.of());
        }
        return new PacketTopology(nodes, List.copyOf(numbers), cables);
    }

    private boolean isReadable(int wanted, String what) {
        if (words.left() >= wanted && problems.size() < MAX_PROBLEMS) {
            return true;
        }
        if (words.left() < wanted) {
            problems.add(Problem.of(CATEGORY, words.where(), "the file ends before " + what));
        }
        return false;
    }

    private int count(String what, int max) {
        if (!isReadable(1, "the " + what)) {
            return 0;
        }
        String word = words.next();
        try {
            int count = Integer.parseInt(word);
            if (count >= 0 && count <= max) {
                return count;
            }
        } catch (NumberFormatException e) {
            // falls through to the error
        }
        refuse("found '" + word + "', expected the " + what + ", 0 to " + max);
        return 0;
    }

    private int node(int nodes) {
        String word = words.next();
        try {
            int node = Integer.parseInt(word);
            if (node >= 0 && node < nodes) {
                return node;
            }
        } catch (NumberFormatException e) {
            // falls through to the error
        }
        refuse("found '" + word + "', expected the number of a node, 0 to " + (nodes - 1));
        return 0;
    }

    private void cable(int nodes, List<Cable> cables) {
        int before = problems.size();
        int a = node(nodes);
        int b = node(nodes);
        String rateText = words.next();
        OptionalLong rate = Quantities.rate(rateText);
        if (rate.isEmpty() || rate.getAsLong() == 0) {
            refuse("found '" + rateText + "', expected a rate such as 100Gbps");
        }
        String delayText = words.next();
        OptionalLong delay = Quantities.duration(delayText);
        if (delay.isEmpty()) {
            refuse("found '" + delayText + "', expected a delay such as 0.001ms");
        }
        double loss = probability(words.next());
        if (a == b && problems.size() == before) {
            refuse("a link joins node " + a + " to itself");
        }
        if (problems.size() == before) {
            cables.add(new Cable(a, b, rate.getAsLong(), delay.getAsLong(), loss));
        }
    }

    private double probability(String word) {
        try {
            double value = Double.parseDouble(word);
            if (value >= 0 && value <= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            // falls through to the error
        }
        refuse("found '" + word + "', expected an error rate from 0 to 1");
        return 0;
    }

    private void refuse(String what) {
        problems.add(Problem.of(CATEGORY, words.where(), what));
    }

    public static String text(PacketTopology topology) {
        StringBuilder out = new StringBuilder();
        out.append(topology.nodes()).append(' ');
        out.append(topology.switches().size()).append(' ');
        out.append(topology.cables().size()).append('\n');
        for (int i = 0; i < topology.switches().size(); i++) {
            out.append(i == 0 ? "" : " ").append(topology.switches().get(i));
        }
        out.append('\n');
        for (Cable cable : topology.cables()) {
            out.append(cable.a()).append(' ').append(cable.b()).append(' ');
            out.append(rate(cable.rate())).append(' ').append(cable.delay()).append("ns ");
            out.append(cable.lossRate() == 0 ? "0" : Double.toString(cable.lossRate()))
                    .append('\n');
        }
        return out.toString();
    }

    /** A rate in the largest unit that keeps it whole. */
    static String rate(long bitsPerSecond) {
        if (bitsPerSecond % GIGA == 0) {
            return String.format(Locale.ROOT, "%dGbps", bitsPerSecond / GIGA);
        }
        return bitsPerSecond % MEGA == 0
                ? String.format(Locale.ROOT, "%dMbps", bitsPerSecond / MEGA)
                : bitsPerSecond + "bps";
    }
}
