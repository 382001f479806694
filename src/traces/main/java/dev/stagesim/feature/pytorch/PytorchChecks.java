package dev.stagesim.feature.pytorch;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.traces.PytorchWorkload;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;

/** Consistency checks of the keys for a recorded PyTorch run. */
final class PytorchChecks {
    private PytorchChecks() {}

    static void check(PytorchWorkload settings, CompatMode compat) {
        List<Problem> problems = new ArrayList<>();
        if (compat != CompatMode.NONE && compat != CompatMode.CHAKRA) {
            problems.add(Problem.config("compat", "has no effect on workload.kind=chakra_pytorch")
                    .options(List.of("none", "chakra")));
        }
        if (compat == CompatMode.CHAKRA && settings.unknownComm().isPresent()) {
            problems.add(without("unknown_comm", "the reference always fails"));
        }
        String name = settings.output();
        if (name.isBlank() || name.contains("/") || name.contains("..")) {
            problems.add(Problem.config("workload.output", "expected a plain name, found '" + name + "'"));
        }
        boolean isPattern = PytorchFiles.isPattern(settings.host());
        if (settings.device().isPresent()
                && isPattern != PytorchFiles.isPattern(settings.device().get())) {
            problems.add(Problem.config(
                    "workload.device", "either both host and device contain a * for the rank, or neither"));
        }
        if (!isPattern && settings.numNpus().orElse(1) != 1) {
            problems.add(without("num_npus", "one file contains one rank").hint("write * for the rank in host"));
        }
        if (isPattern && settings.rank().isPresent()) {
            problems.add(without("rank", "the * matches the rank"));
        }
        StageException.refuse(problems);
    }

    private static Problem without(String key, String why) {
        return Problem.config("workload." + key, "has no effect: " + why);
    }
}
