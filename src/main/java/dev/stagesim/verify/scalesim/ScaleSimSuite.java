package dev.stagesim.verify.scalesim;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Reports and traces byte for byte, or what the reference printed at printed precision. */
public final class ScaleSimSuite implements Suite {
    private static final String PART = "scalesim";

    @Override
    public String name() {
        return "scalesim";
    }

    @Override
    public String doc() {
        return "Systolic-array runs as SCALE-Sim v2 and v3 do them, every report byte for byte; a folder with"
                + " <case>/{arch.cfg,topology.csv,case.json,expected/}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (Path path : CaseFolders.in(corpus)) {
            if (Files.isRegularFile(path.resolve("topology.csv"))) {
                results.accept(replay(path));
            }
        }
    }

    private static CaseResult replay(Path path) throws IOException {
        String id = String.valueOf(path.getFileName());
        JsonAt recorded = Json.read(path.resolve("case.json"));
        boolean isFailure = recorded.find("rc").map(code -> code.asInt() != 0).orElse(false);
        Optional<ScaleSimRun> run = Optional.empty();
        String refusal = "";
        try {
            run = Optional.of(ScaleSimRun.of(path, recorded));
        } catch (StageException wrongInput) {
            refusal = wrongInput.problems().get(0).render();
        }
        if (isFailure) {
            return run.isEmpty()
                    ? CaseResult.passed(PART, id)
                    : CaseResult.failed(
                            PART, id, "outcome", recorded.get("stderr_last").asString(), "a result");
        }
        if (run.isEmpty()) {
            return CaseResult.failed(PART, id, "outcome", "a result", refusal);
        }
        List<Difference> differences = new ArrayList<>();
        Path expected = path.resolve("expected");
        if (Files.isRegularFile(expected.resolve("printed.json"))) {
            PrintedFigures.compare(
                    Json.read(expected.resolve("printed.json")), run.get().layers(), differences);
        } else {
            compareFiles(expected, run.get(), differences);
        }
        return differences.isEmpty() ? CaseResult.passed(PART, id) : CaseResult.failed(PART, id, differences);
    }

    private static void compareFiles(Path expected, ScaleSimRun run, List<Difference> differences) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.walk(expected)) {
            files = entries.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            String name = expected.relativize(file).toString();
            String wanted = Files.readString(file, StandardCharsets.UTF_8);
            String actual = run.file(name).orElse("no such file");
            if (!wanted.equals(actual)) {
                differences.add(firstDifference(name, wanted, actual));
            }
        }
    }

    private static Difference firstDifference(String name, String wanted, String actual) {
        List<String> left = wanted.lines().toList();
        List<String> right = actual.lines().toList();
        int line = 0;
        while (line < left.size() && line < right.size() && left.get(line).equals(right.get(line))) {
            line++;
        }
        return new Difference(
                name + ":" + (line + 1),
                line < left.size() ? left.get(line) : "end of file",
                line < right.size() ? right.get(line) : "end of file");
    }
}
