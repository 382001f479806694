package dev.stagesim.stage.workload;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.traces.ChakraTextWorkload;
import dev.stagesim.traces.ChakraTextWorkload.Input;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Consistency checks of traces made from text. */
final class ChakraTextChecks {
    private final List<Problem> problems = new ArrayList<>();

    private ChakraTextChecks() {}

    static void check(ChakraTextWorkload settings, CompatMode compat) {
        ChakraTextChecks checks = new ChakraTextChecks();
        if (settings.dir().isPresent()) {
            checks.problem("dir", "it refers to finished traces, so this stage has nothing to generate");
        } else if (settings.file().isEmpty()) {
            checks.problem("file", "set it to the workload text or the task graph to convert");
        }
        if (settings.input() == Input.FLEXFLOW) {
            checks.graph(settings);
        } else {
            checks.text(settings, compat);
        }
        if (compat != CompatMode.NONE && compat != CompatMode.CHAKRA) {
            checks.problems.add(Problem.config("compat", "has no effect on workload.kind=chakra_text: none or chakra"));
        }
        StageException.refuse(checks.problems);
    }

    private void graph(ChakraTextWorkload settings) {
        if (settings.schema().equals(Optional.of(TextSchema.V0_0_4))) {
            problem("schema", "graphs can be converted to schema v1_0_0 or v0_0_1 only");
        }
        if (settings.npuFrequency().isPresent() && !settings.schema().equals(Optional.of(TextSchema.V0_0_1))) {
            problem("npu_frequency", "has no effect: the traces are in microseconds, and the graph is in seconds");
        }
    }

    private void text(ChakraTextWorkload settings, CompatMode compat) {
        if (settings.skipNone() && compat == CompatMode.CHAKRA) {
            problem("skip_none", "the reference skips no layer; use compat=none");
        }
        if (settings.npuFrequency().isPresent() && settings.schema().equals(Optional.of(TextSchema.V0_0_1))) {
            problem("npu_frequency", "has no effect: times of schema v0_0_1 and of the text are cycles");
        } else if (settings.npuFrequency().isPresent() && compat == CompatMode.CHAKRA) {
            problem("npu_frequency", "the reference reads cycles as microseconds; omit it, or use compat=none");
        }
    }

    private void problem(String key, String what) {
        problems.add(Problem.config("workload." + key, what));
    }
}
