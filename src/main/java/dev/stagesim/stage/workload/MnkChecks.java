package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.settings.MnkWorkload;
import dev.stagesim.settings.MnkWorkload.Compute;
import dev.stagesim.sim.mnk.Parallelism;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What must hold between the keys of a workload of matrix products. */
final class MnkChecks {
    private static final String CATEGORY = "config error";

    private final List<Problem> problems = new ArrayList<>();

    private MnkChecks() {}

    static void check(MnkWorkload settings) {
        MnkChecks checks = new MnkChecks();
        Compute compute = settings.compute();
        checks.only("scalesim_config", settings.scalesimConfig().isPresent(), compute, Compute.SCALE_SIM);
        checks.only("peak", settings.peak().isPresent(), compute, Compute.ROOFLINE);
        checks.only("bandwidth", settings.bandwidth().isPresent(), compute, Compute.ROOFLINE);
        checks.only("table", settings.table().isPresent(), compute, Compute.TABLE);
        if (compute == Compute.TABLE && settings.table().isEmpty()) {
            checks.problem("table", "compute=table needs the table of measured cycles");
        }
        if (settings.likeReference() && compute != Compute.SCALE_SIM) {
            checks.problem("like_reference", "the reference has compute=scale_sim only");
        }
        if (settings.numNpus() % settings.numPackages() != 0) {
            checks.problem(
                    "num_packages",
                    settings.numNpus() + " processors do not fill " + settings.numPackages() + " packages evenly");
        }
        checks.policy(settings.parallel());
        checks.name("output_file", settings.outputFile());
        checks.name("run_name", settings.runName());
        if (!checks.problems.isEmpty()) {
            throw StageException.input(checks.problems);
        }
    }

    private void only(String key, boolean isGiven, Compute compute, Compute needed) {
        if (isGiven && compute != needed) {
            problem(key, "has no effect: it belongs to another source of compute times");
        }
    }

    private void policy(String parallel) {
        List<String> known = Stream.concat(
                        Arrays.stream(Parallelism.values()).map(Enum::name), Stream.of(MnkReader.CUSTOMIZED))
                .toList();
        if (!known.contains(parallel.toUpperCase(Locale.ROOT))) {
            problems.add(Problem.of(CATEGORY, "workload.parallel", "unknown parallelism '" + parallel + "'")
                    .options(known)
                    .didYouMean(Suggest.near(parallel, known)));
        }
    }

    private void name(String key, String value) {
        if (value.isBlank() || value.contains("/") || value.contains("..")) {
            problem(key, "expected a plain name, found '" + value + "'");
        }
    }

    private void problem(String key, String what) {
        problems.add(Problem.of(CATEGORY, "workload." + key, what));
    }
}
