package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.mnk.Parallelism;
import dev.stagesim.stage.ReservedNames;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.systolic.MnkWorkload.Compute;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Consistency checks of a workload of matrix products. */
final class MnkChecks {
    private final List<Problem> problems = new ArrayList<>();

    private MnkChecks() {}

    static void check(MnkWorkload settings, CompatMode compat) {
        MnkChecks checks = new MnkChecks();
        checks.layers(settings);
        checks.compute(settings);
        checks.compat(settings, compat);
        if (settings.numNpus() % settings.numPackages() != 0) {
            checks.problem(
                    "num_packages",
                    settings.numNpus() + " processors do not fill " + settings.numPackages() + " packages evenly");
        }
        checks.policy(settings);
        checks.outputFile(settings.outputFile());
        StageException.refuse(checks.problems);
    }

    private void layers(MnkWorkload settings) {
        if (settings.mnk().isPresent() == settings.layers().model().isPresent()) {
            problem(
                    "mnk",
                    settings.mnk().isPresent()
                            ? "set a table or a model, not both; mnk=null selects the model"
                            : "set a table of layers, or a transformer with model@workload.model=<option>");
        }
        if (settings.layers().model().isEmpty()) {
            return;
        }
        ModelCard model = settings.layers().model().get();
        if (settings.layers().numLayers().orElse(1) > model.shape().numLayers()) {
            problem("num_layers", model.name() + " has " + model.shape().numLayers() + " layers");
        }
        if (MnkLayers.sequence(settings, model) > model.maxPosition()) {
            problem("sequence", model.name() + " takes " + model.maxPosition() + " tokens at most");
        }
        try {
            LayerPattern.of(model);
        } catch (StageException unknown) {
            problem("model.swa_pattern", unknown.problems().get(0).what());
        }
    }

    private void compute(MnkWorkload settings) {
        Compute compute = settings.times().compute();
        if (compute == Compute.TABLE && settings.times().table().isEmpty()) {
            problem("table", "compute=table requires the table of measured cycles");
        }
    }

    private void compat(MnkWorkload settings, CompatMode compat) {
        if (compat == CompatMode.VIDUR || compat == CompatMode.CHAKRA) {
            problems.add(Problem.config("compat", "has no effect on workload.kind=mnk")
                    .options(List.of("none", "astra")));
        }
        if (compat == CompatMode.ASTRA && !settings.times().compute().isSystolic()) {
            problem(
                    "compute",
                    "the generator that compat=astra reproduces has compute=scale_sim and scale_sim_v1 only");
        }
        if (compat == CompatMode.ASTRA && settings.layers().model().isPresent()) {
            problem("model", "the generator that compat=astra reproduces reads tables only");
        }
    }

    private void policy(MnkWorkload settings) {
        String parallel = settings.parallel();
        List<String> known = Stream.concat(
                        Arrays.stream(Parallelism.values()).map(Enum::name), Stream.of(MnkReader.CUSTOMIZED))
                .toList();
        if (!known.contains(parallel.toUpperCase(Locale.ROOT))) {
            problems.add(Problem.config("workload.parallel", "unknown parallelism '" + parallel + "'")
                    .options(known)
                    .didYouMean(Suggest.near(parallel, known)));
        } else if (settings.layers().model().isPresent() && parallel.equalsIgnoreCase(MnkReader.CUSTOMIZED)) {
            problem("parallel", MnkReader.CUSTOMIZED + " requires a table with the parallelism of each layer");
        }
    }

    private void outputFile(String name) {
        if (ReservedNames.isReserved(name, new WorkloadStage().spec().tables())) {
            problem("output_file", "'" + name + "' is the name of another file of the run, expected a different name");
        }
    }

    private void problem(String key, String what) {
        problems.add(Problem.config("workload." + key, what));
    }
}
