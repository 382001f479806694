package dev.stagesim.verify.hydra;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Recorded cases of Hydra 1.3.5 and OmegaConf 2.3.1, one part per folder. */
public final class HydraSuite implements Suite {
    private static final List<HydraPart> PARTS =
            List.of(new OverridesPart(), new ComposePart(), new MultirunPart(), new InterpPart());

    @Override
    public String name() {
        return "hydra";
    }

    @Override
    public String doc() {
        return "Override grammar, composition, sweeps and interpolation as Hydra 1.3.5 does them; parts are folders with"
                + " a cases.jsonl: "
                + String.join(", ", PARTS.stream().map(HydraPart::name).toList()) + ".";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (HydraPart part : PARTS) {
            Path cases = corpus.resolve(part.name()).resolve("cases.jsonl");
            if (Files.isRegularFile(cases)) {
                replay(part, cases, results);
            }
        }
    }

    private static void replay(HydraPart part, Path cases, Consumer<CaseResult> results) throws IOException {
        try (HydraPart.Replay replay = part.open(cases.resolveSibling("."));
                JsonDocuments lines = JsonDocuments.open(cases, JsonMode.STRICT)) {
            for (Optional<JsonAt> line = lines.next(); line.isPresent(); line = lines.next()) {
                results.accept(one(part, replay, line.get()));
            }
        }
    }

    private static CaseResult one(HydraPart part, HydraPart.Replay replay, JsonAt recorded) {
        String id = recorded.get("id").asString();
        try {
            return replay.run(id, recorded);
        } catch (StageException refused) {
            return CaseResult.failed(part.name(), id, "", "no error", String.valueOf(refused.getMessage()));
        } catch (RuntimeException | StackOverflowError bug) {
            return CaseResult.failed(part.name(), id, "", "no error", "internal error " + bug);
        }
    }
}
