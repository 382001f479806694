package dev.stagesim.verify.hydra;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The {@code interp} cases as a part of the suite. */
final class InterpPart implements HydraPart {
    private static final Deviation TEXT_KEYS = new Deviation(
            InterpCases.TEXT_KEYS,
            "hydra.md section 2, rule 9",
            "map keys are strings: the value is the recorded one with every key as its text");

    @Override
    public String name() {
        return "interp";
    }

    @Override
    public Replay open(Path folder) throws IOException {
        InterpCases cases = InterpCases.open(folder);
        return (id, recorded) -> {
            InterpCases.Outcome outcome = cases.run(recorded);
            if (outcome.why().isPresent()) {
                String expected = recorded.get("ok").asBool()
                        ? TypedJson.text(recorded.get("value"))
                        : recorded.get("error").get("class").asString();
                return CaseResult.failed(
                        name(),
                        id,
                        List.of(new Difference("value", expected, outcome.why().get())));
            }
            return outcome.rule().isPresent()
                    ? CaseResult.deviates(name(), id, TEXT_KEYS)
                    : CaseResult.passed(name(), id);
        };
    }
}
