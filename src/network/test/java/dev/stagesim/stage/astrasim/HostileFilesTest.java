package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.astra.GraphFiles;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.packet.ConfigFiles;
import dev.stagesim.io.packet.LogicalFiles;
import dev.stagesim.io.packet.TopologyFiles;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.packet.PacketCheck;
import dev.stagesim.sim.network.packet.PacketNetwork;
import dev.stagesim.sim.network.packet.state.PacketListener;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Network files that are truncated, mutated or contain extreme values are read, or rejected with an input error. */
final class HostileFilesTest {
    private static final int EXAMPLES = 600;
    private static final String[] WILD = {
        "0",
        "-1",
        "1e30",
        "-1e-30",
        "NaN",
        ".inf",
        "2147483648",
        "9223372036854775808",
        "1e400",
        "[]",
        "{}",
        "null",
        "true",
        "\"\"",
        "x",
        "99999999999999999999999999",
        "\u0000",
        "0.5",
        "Infinity",
        "- -",
        ":",
        "\"",
        "[[[[",
        "*a",
        "&a"
    };

    private static final String NETWORK =
            "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25 ]\n" + "latency: [ 500, 1e3 ]\n";
    private static final String GRAPH = "npus: 4\nswitches: [a, b]\ndimensions: [2, 2]\ngigabyte: binary\nlinks:\n"
            + "  - { from: [0, 1], to: a, bandwidth: 50, latency: 500 }\n"
            + "  - { from: [2, 3], to: b, bandwidth: 50, latency: 500, tier: 1 }\n"
            + "  - { from: a, to: b, bandwidth: 5, latency: 10, one_way: false }\n";
    private static final String TOPOLOGY =
            "5 1 4\n4\n4 0 100Gbps 0.001ms 0\n4 1 100Gbps 1us 0.01\n4 2 40Gbps 5ns 0\n" + "4 3 100Gbps 0 0\n";
    private static final String CONFIG = "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE t\nCC_MODE 1\n"
            + "ALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 900\nEWMA_GAIN 0.00390625\n"
            + "FAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nL2_CHUNK_SIZE 4000\n"
            + "L2_ACK_INTERVAL 1\nERROR_RATE_PER_LINK 0.0\nHAS_WIN 1\nGLOBAL_T 1\nLINK_DOWN 0 0 0\n"
            + "KMAX_MAP 2 100000000000 400 40000000000 100\nKMIN_MAP 2 100000000000 100 40000000000 10\n"
            + "PMAX_MAP 2 100000000000 0.2 40000000000 0.1\nBUFFER_SIZE 32\nQLEN_MON_START 0\nPAUSE_TIME 5\n";
    private static final String LOGICAL = "{\"logical-dims\": [\"2\", \"2\"]}";
    private static final String SYSTEM = "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,"
            + " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,"
            + " \"all-reduce-implementation\": [\"ring\", \"direct2\"], \"collective-optimization\": \"baseline\","
            + " \"local-mem-bw\": 50, \"peak-perf\": 100.0, \"model-shared-bus\": 1, \"L\": 1, \"o\": 2, \"g\": 3,"
            + " \"G\": 0.01, \"roofline-enabled\": 1}";
    private static final String MEMORY = "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-latency\": 100,"
            + " \"remote-mem-bw\": 50, \"num-nodes\": 2, \"num-npus-per-node\": 2}";
    private static final String GROUPS = "{\"1\": [0, 1], \"2\": [3, 2]}";

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path file = files.getPath("/input");

    /** A reader of one file format. */
    private interface Reading {
        Object read(Path path) throws IOException;
    }

    /** Truncates a text, or replaces, drops or repeats one of its words. */
    private static String mutated(String text, Random random) {
        if (random.nextInt(6) == 0) {
            return text.substring(0, random.nextInt(text.length()));
        }
        List<int[]> words = new ArrayList<>();
        Matcher matcher = Pattern.compile("[^\\s,\\[\\]{}:]+|[\\[\\]{}:,]").matcher(text);
        while (matcher.find()) {
            words.add(new int[] {matcher.start(), matcher.end()});
        }
        int[] word = words.get(random.nextInt(words.size()));
        String token = text.substring(word[0], word[1]);
        String instead =
                switch (random.nextInt(5)) {
                    case 0 -> "";
                    case 1 -> token + " " + token;
                    default -> WILD[random.nextInt(WILD.length)];
                };
        return text.substring(0, word[0]) + instead + text.substring(word[1]);
    }

    private void survives(String text, Reading reading) throws IOException {
        Random random = new Random(text.hashCode());
        int refused = 0;
        for (int i = 0; i < EXAMPLES; i++) {
            String torn = mutated(text, random);
            if (random.nextInt(3) == 0) {
                torn = torn.isEmpty() ? torn : mutated(torn + " ", random);
            }
            Files.write(file, torn.getBytes(StandardCharsets.UTF_8));
            try {
                assertThat(reading.read(file)).isNotNull();
            } catch (StageException reported) {
                refused++;
                assertThat(reported.problems()).isNotEmpty();
            } catch (RuntimeException bug) {
                fail(torn, bug);
            }
        }
        assertThat(refused).isBetween(EXAMPLES / 5, EXAMPLES - 1);
    }

    @Test
    void survivesMutatedAnalyticalNetworks() throws IOException {
        survives(NETWORK, path -> NetworkFiles.read(path, Contention.UNAWARE, AstraCompat.NONE));
        survives(NETWORK, path -> NetworkFiles.read(path, Contention.AWARE, AstraCompat.ASTRA));
        survives(GRAPH, GraphFiles::read);
    }

    @Test
    void survivesMutatedPacketTopologies() throws IOException {
        PacketSpec spec = spec(PacketSpec.Compat.NONE, TOPOLOGY);
        assertThat(PacketCheck.problems(spec, 4, "t")).isEmpty();
        for (PacketSpec.Compat compat : PacketSpec.Compat.values()) {
            survives(TOPOLOGY, path -> network(spec(compat, Files.readString(path))));
        }
    }

    private PacketSpec spec(PacketSpec.Compat compat, String topology) throws IOException {
        Path config = files.getPath("/config");
        Files.writeString(config, CONFIG);
        return ConfigFiles.read(config, compat).on(TopologyFiles.parse(topology, "t"), List.of());
    }

    private static Object network(PacketSpec spec) {
        PacketTopology topology = spec.topology();
        if (PacketCheck.problems(spec, Math.max(1, topology.hosts()), "t").isEmpty()) {
            return new PacketNetwork(spec, topology.hosts(), PacketListener.NONE).longestRoundTrip();
        }
        throw StageException.input(PacketCheck.problems(spec, Math.max(1, topology.hosts()), "t"));
    }

    @Test
    void survivesMutatedPacketConfigurations() throws IOException {
        for (PacketSpec.Compat compat : PacketSpec.Compat.values()) {
            survives(
                    CONFIG,
                    path -> network(ConfigFiles.read(path, compat).on(TopologyFiles.parse(TOPOLOGY, "t"), List.of())));
        }
        survives(LOGICAL, LogicalFiles::read);
    }

    @Test
    void survivesMutatedSystemFiles() throws IOException {
        for (AstraCompat compat : new AstraCompat[] {AstraCompat.NONE, AstraCompat.ASTRA}) {
            survives(SYSTEM, path -> SystemFiles.read(path, compat));
            survives(MEMORY, path -> MemoryFiles.read(path, compat));
        }
        survives(GROUPS, path -> GroupFiles.read(path, 4));
    }
}
