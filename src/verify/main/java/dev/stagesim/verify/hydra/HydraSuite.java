package dev.stagesim.verify.hydra;

import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Recorded cases of Hydra 1.3.5 with OmegaConf 2.3.1, and of Hydra 1.4.0rc3 with OmegaConf 2.4.1rc1, one part per folder. */
public final class HydraSuite {
    private static final List<HydraPart> PARTS = List.of(
            OverridesPart.PART,
            new HydraPart("compose", HydraSuite::compose),
            MultirunPart.PART,
            new HydraPart("interp", HydraSuite::interp));

    private static final Deviation TEXT_KEYS = new Deviation(
            InterpCases.TEXT_KEYS,
            "hydra.md section 2, rule 9",
            "map keys are strings: the value is the recorded one with every key as its text");

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "hydra",
            "Override grammar, composition, sweeps and interpolation as Hydra 1.3.5 or 1.4.0rc3 does them; parts are folders"
                    + " with a cases.jsonl: "
                    + String.join(", ", PARTS.stream().map(HydraPart::name).toList()) + ".",
            HydraSuite::run);

    private HydraSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        for (HydraPart part : PARTS) {
            Path cases = corpus.resolve(part.name()).resolve("cases.jsonl");
            if (Files.isRegularFile(cases)) {
                replay(part, cases, results);
            }
        }
    }

    private static void replay(HydraPart part, Path cases, Consumer<CaseResult> results) throws IOException {
        try (HydraPart.Replay replay = part.opening().of(cases.resolveSibling("."));
                JsonDocuments lines = JsonDocuments.open(cases, JsonMode.STRICT)) {
            for (Optional<LocatedJson> line = lines.next(); line.isPresent(); line = lines.next()) {
                results.accept(one(part, replay, line.get()));
            }
        }
    }

    private static CaseResult one(HydraPart part, HydraPart.Replay replay, LocatedJson recorded) {
        String id = recorded.get("id").asString();
        try {
            return replay.run(id, recorded);
        } catch (StageException refused) {
            return CaseResult.failed(part.name(), id, "", "no error", String.valueOf(refused.getMessage()));
        } catch (IOException | RuntimeException | StackOverflowError bug) {
            return CaseResult.failed(part.name(), id, "", "no error", "internal error " + bug);
        }
    }

    private static CaseResult result(
            String part,
            String id,
            LocatedJson recorded,
            InterpCases.Outcome outcome,
            Supplier<String> recordedResult,
            Function<String, Deviation> deviation) {
        if (outcome.why().isPresent()) {
            String expected = recorded.get("ok").asBool()
                    ? recordedResult.get()
                    : recorded.get("error").get("class").asString();
            return CaseResult.failed(part, id, part, expected, outcome.why().get());
        }
        return outcome.rule()
                .map(rule -> CaseResult.deviates(part, id, deviation.apply(rule)))
                .orElseGet(() -> CaseResult.passed(part, id));
    }

    private static HydraPart.Replay interp(Path folder) throws IOException {
        InterpCases cases = InterpCases.open(folder);
        return (id, recorded) -> result(
                "interp",
                id,
                recorded,
                cases.run(recorded),
                () -> TypedJson.text(recorded.get("value")),
                rule -> TEXT_KEYS);
    }

    private static HydraPart.Replay compose(Path folder) throws IOException {
        ComposeCases cases = ComposeCases.open(folder, Files.createTempDirectory("compose"));
        return new HydraPart.Replay() {
            @Override
            public CaseResult run(String id, LocatedJson recorded) throws IOException {
                return result(
                        "compose",
                        id,
                        recorded,
                        cases.run(recorded),
                        () -> "the recorded composition",
                        HydraSuite::deviation);
            }

            @Override
            public void close() throws IOException {
                cases.close();
            }
        };
    }

    private static Deviation deviation(String rule) {
        return new Deviation(rule, "hydra.md section " + rule.split("-", 3)[1], ComposeRules.behaviour(rule));
    }
}
