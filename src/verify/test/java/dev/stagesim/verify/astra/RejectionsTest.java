package dev.stagesim.verify.astra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every recorded run that fails in the reference is rejected with a message about the cause. */
final class RejectionsTest {
    private static final String FILE = "refusals.txt";

    /** Returns a part of the error by case, or after "stuck: " a line of the deadlock report. */
    private static TreeMap<String, String> causes() throws IOException {
        TreeMap<String, String> causes = new TreeMap<>();
        try (InputStream in = RejectionsTest.class.getResourceAsStream(FILE)) {
            assertThat(in).as(FILE).isNotNull();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                int bar = line.indexOf(" | ");
                causes.put(line.substring(0, bar), line.substring(bar + 3));
            }
        }
        return causes;
    }

    @Test
    void rejectsCommittedCasesWithTheirCause() throws IOException {
        assertThat(check(Path.of("tests-data", "astra", "cases"))).isGreaterThan(10);
    }

    @Test
    void rejectsTheCorpusWithItsCauses() throws IOException {
        assertThat(check(Corpora.beside("astra").resolve("cases"))).isEqualTo(causes().size());
    }

    /** Returns the number of cases in the folder. */
    private static int check(Path cases) throws IOException {
        int found = 0;
        for (var cause : causes().entrySet()) {
            Path path = cases.resolve(cause.getKey());
            if (!Files.isDirectory(path)) {
                continue;
            }
            found++;
            LocatedJson recorded = Json.read(path.resolve("case.json"));
            LocatedJson expected = Json.read(path.resolve("expected.json"));
            for (String backend : recorded.get("backends").asStrings()) {
                if (!expected.get(backend).get("outcome").asString().equals("finished")) {
                    assertThat(refusal(path, recorded, backend))
                            .as("%s, %s", cause.getKey(), backend)
                            .contains(cause.getValue());
                }
            }
        }
        return found;
    }

    private static String refusal(Path path, LocatedJson recorded, String backend) throws IOException {
        Contention contention = backend.equals("aware") ? Contention.AWARE : Contention.UNAWARE;
        try (CaseFolder folder = CaseFolder.of(path, recorded)) {
            try {
                SimulationResult result =
                        AstraRun.of(folder, recorded.get("args"), contention, AstraCompat.ASTRA, false);
                return result.stuck()
                        .map(stuck -> "stuck: "
                                + (stuck.causes().isEmpty()
                                        ? stuck.waiting().get(0).what()
                                        : String.join("\nstuck: ", stuck.causes())))
                        .orElse("a result");
            } catch (StageException rejected) {
                return rejected.problems().get(0).render();
            }
        }
    }
}
