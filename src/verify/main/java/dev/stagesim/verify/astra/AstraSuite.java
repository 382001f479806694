package dev.stagesim.verify.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Collective and training runs, every number of every NPU. */
public final class AstraSuite {
    /** The suite. */
    public static final Suite SUITE = Suite.ofCases(
            "astra",
            "runs of ASTRA-sim's analytical simulators, every cycle count of every NPU on both backends; a folder"
                    + " with cases/<case>/{case.json,expected.json,network.yml,system.json,memory.json,traces/}.",
            AstraCase::replay);

    private AstraSuite() {}

    /**
     * Replays one recorded run on each recorded backend, and again with folded NPUs. In the product's event order,
     * the run with every NPU and the run with folded NPUs must have equal results.
     */
    private static final class AstraCase {
        private static final String PART = "cases";

        private AstraCase() {}

        static CaseResult replay(Path path) throws IOException {
            LocatedJson recorded = Json.read(path.resolve("case.json"));
            LocatedJson expected = Json.read(path.resolve("expected.json"));
            DifferenceList differences = new DifferenceList();
            try (CaseFolder folder = CaseFolder.of(path, recorded)) {
                for (String backend : recorded.get("backends").asStrings()) {
                    Replay replay = new Replay(folder, recorded, backend, expected.get(backend), differences);
                    replay.compare();
                    if (backend.equals("unaware")) {
                        replay.foldsAlike();
                    }
                }
            }
            return differences.result(PART, path);
        }

        /** The case on one backend. */
        private record Replay(
                CaseFolder folder,
                LocatedJson recorded,
                String backend,
                LocatedJson expected,
                DifferenceList differences) {
            void compare() throws IOException {
                boolean isFinished = expected.get("outcome").asString().equals("finished");
                SimulationResult result;
                try {
                    Contention contention = backend.equals("aware") ? Contention.AWARE : Contention.UNAWARE;
                    result = AstraRun.of(folder, recorded.get("args"), contention, AstraCompat.ASTRA, false);
                } catch (StageException refused) {
                    if (isFinished) {
                        differences.add(
                                backend, "a result", refused.problems().get(0).render());
                    }
                    return;
                }
                if (isFinished != result.stuck().isEmpty()) {
                    String recordedOutcome = expected.get("outcome").asString();
                    differences.add(
                            backend,
                            isFinished ? "a result" : "an error (" + recordedOutcome + ")",
                            isFinished ? "NPUs that never finish" : "a result");
                }
                // Returns the results of the NPUs that finished in a deadlocked run.
                if (!isFinished && !expected.get("outcome").asString().equals("stuck")) {
                    return;
                }
                int npus = recorded.get("npus").asInt();
                differences.addAll(new FigureCheck(backend, npus, expected).differences(result));
            }

            void foldsAlike() throws IOException {
                String full = ownOrder(false);
                String folded = ownOrder(true);
                differences.same("in our own order, symmetric", full, folded);
            }

            /** Returns the results of each NPU in the product's event order, or why there are none. */
            private String ownOrder(boolean symmetry) throws IOException {
                try {
                    SimulationResult its =
                            AstraRun.of(folder, recorded.get("args"), Contention.UNAWARE, AstraCompat.NONE, symmetry);
                    return "at " + Arrays.toString(its.finishNs()) + ", exposed " + Arrays.toString(its.exposedNs())
                            + ", in order " + Arrays.toString(its.finishOrder()) + ", " + its.statistics() + ", "
                            + its.traffic().messages() + " messages, end " + its.endNs() + ", stuck " + its.stuck();
                } catch (StageException refused) {
                    // Which of equal traces is named does not count.
                    return "refused: " + refused.problems().get(0).what();
                }
            }
        }
    }
}
