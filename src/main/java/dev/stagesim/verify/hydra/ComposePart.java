package dev.stagesim.verify.hydra;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The {@code compose} cases as a part of the suite. */
final class ComposePart implements HydraPart {
    @Override
    public String name() {
        return "compose";
    }

    @Override
    public Replay open(Path folder) throws IOException {
        return new Running(folder, Files.createTempDirectory("compose"));
    }

    private final class Running implements Replay {
        private final Path scratch;
        private final ComposeCases cases;

        Running(Path folder, Path scratch) {
            this.scratch = scratch;
            this.cases = ComposeCases.open(folder, scratch);
        }

        @Override
        public CaseResult run(String id, JsonAt recorded) {
            InterpCases.Outcome outcome;
            try {
                outcome = cases.run(recorded);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
            if (outcome.why().isPresent()) {
                String expected = recorded.get("ok").asBool()
                        ? "the recorded composition"
                        : recorded.get("error").get("class").asString();
                return CaseResult.failed(
                        name(),
                        id,
                        List.of(new Difference(
                                "composition", expected, outcome.why().get())));
            }
            return outcome.rule().isPresent()
                    ? CaseResult.deviates(name(), id, deviation(outcome.rule().get()))
                    : CaseResult.passed(name(), id);
        }

        private static Deviation deviation(String rule) {
            return new Deviation(rule, "hydra.md section " + rule.split("-", 3)[1], ComposeRules.behaviour(rule));
        }

        @Override
        public void close() throws IOException {
            cases.close();
            Files.deleteIfExists(scratch);
        }
    }
}
