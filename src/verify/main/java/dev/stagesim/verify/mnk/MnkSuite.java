package dev.stagesim.verify.mnk;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.ScaleSimV1;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Replays runs of ASTRA-sim's m/n/k workload generator, and compares its files and reports byte for byte. */
public final class MnkSuite {
    private static final String PART = "mnk";
    private static final String FIRST_CYCLES = "scalesim_v1_cycles.json";

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "mnk",
            "ASTRA-sim 1.0 text workloads made from m/n/k tables, byte for byte; a folder with"
                    + " <case>/{arch.cfg,case.json,expected/} and " + FIRST_CYCLES + ".",
            MnkSuite::run);

    private MnkSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (Path path : CaseFolders.in(corpus)) {
            LocatedJson recorded = Json.read(path.resolve("case.json"));
            if (recorded.has("args") && recorded.has("scalesim")) {
                results.accept(replay(path, recorded));
            }
        }
        if (Files.isRegularFile(corpus.resolve(FIRST_CYCLES))) {
            results.accept(firstVersion(Json.read(corpus.resolve(FIRST_CYCLES))));
        }
    }

    private static CaseResult replay(Path path, LocatedJson recorded) throws IOException {
        String id = String.valueOf(path.getFileName());
        // The reference returns status 0 if its input files are missing.
        boolean isFailure = recorded.get("rc").asInt() != 0
                || recorded.get("stdout_rows").asStrings().stream().anyMatch(line -> line.startsWith("ERROR"));
        Optional<MnkRun> run = Optional.empty();
        String refusal = "";
        try {
            run = Optional.of(MnkRun.of(path, recorded));
        } catch (StageException wrongInput) {
            refusal = wrongInput.problems().get(0).render();
        }
        if (isFailure || run.isEmpty()) {
            return isFailure && run.isEmpty()
                    ? CaseResult.passed(PART, id)
                    : CaseResult.failed(
                            PART, id, "outcome", isFailure ? "an error" : "a result", isFailure ? "a result" : refusal);
        }
        DifferenceList differences = new DifferenceList();
        compare(path.resolve("expected"), run.get(), differences);
        return differences.result(PART, path);
    }

    private static void compare(Path expected, MnkRun run, DifferenceList differences) throws IOException {
        for (Path file : Directories.files(expected)) {
            String name = expected.relativize(file).toString();
            differences.same(name, Files.readString(file, StandardCharsets.UTF_8), run.file(name));
        }
    }

    private static CaseResult firstVersion(LocatedJson vectors) {
        DifferenceList differences = new DifferenceList();
        for (LocatedJson vector : vectors.items()) {
            Dataflow dataflow = Dataflow.valueOf(vector.get("df").asString().toUpperCase(Locale.ROOT));
            long cycles = ScaleSimV1.cycles(
                    dataflow,
                    vector.get("R").asInt(),
                    vector.get("C").asInt(),
                    vector.get("M").asInt(),
                    vector.get("K").asInt(),
                    vector.get("N").asInt());
            if (cycles != vector.get("cycles").asLong()) {
                differences.add(
                        vector.where(), Long.toString(vector.get("cycles").asLong()), Long.toString(cycles));
            }
        }
        return differences.result(PART, FIRST_CYCLES);
    }
}
