package dev.stagesim.verify.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the recorded runs in the default mode with the reference, and checks that the fast path for trains changes
 * no result.
 */
final class DefaultModeTest {
    private static final Path KEPT = Path.of("tests-data", "packet");

    private static List<Path> ending(Path corpus) throws IOException {
        List<Path> ending = new ArrayList<>();
        for (Path path : CaseFolders.in(corpus.resolve("cases"))) {
            LocatedJson expected = Json.read(path.resolve("expected.json"));
            boolean hangs = expected.has("timed_out")
                    && expected.get("timed_out").value() instanceof JsonValue.Bool flag
                    && flag.value();
            if (!hangs && expected.get("exit_code").asInt() == 0) {
                ending.add(path);
            }
        }
        return ending;
    }

    private static PacketRun run(Path path, Compat compat, boolean trains) throws IOException {
        return new PacketRun(path, Json.read(path.resolve("case.json")), compat, trains);
    }

    /** Returns true if finish times, flows and pauses are equal in both modes. */
    private static boolean agrees(PacketRun own, PacketRun reference) {
        return Arrays.equals(own.result().finishNs(), reference.result().finishNs())
                && Arrays.equals(own.flows.toByteArray(), reference.flows.toByteArray())
                && Arrays.equals(own.pauses.toByteArray(), reference.pauses.toByteArray());
    }

    private static List<String> differing(List<Path> paths, boolean countEvents) throws IOException {
        List<String> differing = new ArrayList<>();
        for (Path path : paths) {
            try {
                PacketRun own = run(path, Compat.NONE, true);
                PacketRun reference = run(path, Compat.NS3, true);
                boolean isSame = agrees(own, reference)
                        && (!countEvents
                                || own.network().referenceEvents()
                                        == reference.network().referenceEvents());
                if (!isSame) {
                    differing.add(String.valueOf(path.getFileName()));
                }
            } catch (StageException refused) {
                differing.add(
                        path.getFileName() + " " + refused.problems().get(0).what());
            }
        }
        return differing;
    }

    private static void trainsChangeNothing(Path path, Compat compat) throws IOException {
        PacketRun with = run(path, compat, true);
        PacketRun without = run(path, compat, false);
        assertThat(with.result()).usingRecursiveComparison().isEqualTo(without.result());
        assertThat(agrees(with, without)).as("%s in mode %s", path, compat).isTrue();
        assertThat(with.queues.toString(StandardCharsets.US_ASCII))
                .isEqualTo(without.queues.toString(StandardCharsets.US_ASCII));
        assertThat(with.frames.toByteArray()).isEqualTo(without.frames.toByteArray());
        assertThat(with.network().randomStreams()).isEqualTo(without.network().randomStreams());
        if (compat == Compat.NS3) {
            assertThat(with.network().referenceEvents())
                    .isEqualTo(without.network().referenceEvents());
        }
        List<Object> ports = new ArrayList<>();
        with.network().ports(ports::add);
        List<Object> portsWithout = new ArrayList<>();
        without.network().ports(portsWithout::add);
        assertThat(ports).isEqualTo(portsWithout);
    }

    @Test
    void agreesWithTheReferenceOnCommittedRuns() throws IOException {
        assertThat(differing(ending(KEPT), false)).containsExactly("link_down", "timely_600us");
    }

    @Test
    void keepsResultsOfCommittedRunsWithTrains() throws IOException {
        for (Path path : ending(KEPT)) {
            for (Compat compat : Compat.values()) {
                trainsChangeNothing(path, compat);
            }
        }
    }

    /** The specification states these counts. */
    @Test
    @Tag("long")
    void agreesWithTheReferenceOnTheStatedCases() throws IOException {
        List<Path> ending = ending(Corpora.beside("packet"));
        assumeThat(ending).isNotEmpty();
        List<String> other = differing(ending, false);
        List<String> otherEvents = differing(ending, true);
        assertThat(other).hasSize(3).allSatisfy(id -> assertThat(id).matches(".*cc7.*|timely.*|link_down"));
        String stated = Files.readString(Path.of("specs", "packet-network.md")).replaceAll("\\s+", " ");
        assertThat(stated)
                .contains(ending.size() + " recorded runs without an error")
                .contains((ending.size() - other.size()) + " of them have equal times")
                .contains((ending.size() - otherEvents.size()) + " also the same number of events");
    }

    @Test
    @Tag("long")
    void keepsResultsOfTheCorpusWithTrains() throws IOException {
        for (Path path : ending(Corpora.beside("packet"))) {
            trainsChangeNothing(path, Compat.NS3);
        }
    }
}
