package dev.stagesim.feature.suite;

import dev.stagesim.feature.suite.graph.OperatorGraph;
import dev.stagesim.feature.suite.graph.PeakRates;
import dev.stagesim.feature.suite.graph.SuiteNet;
import dev.stagesim.feature.suite.graph.SuiteOptions;
import dev.stagesim.feature.suite.graph.Verbs;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import dev.stagesim.workload.WorkloadStageSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Consistency checks of a suite workload's keys, and values derived from them. */
final class TfChecks {
    private static final double TERA_PER_NS = 1e3;
    private static final int FULL_BYTES = 4;
    private static final int HALF_BYTES = 2;

    private TfChecks() {}

    static void check(TfWorkload workload, WorkloadStageSettings settings) {
        List<Problem> problems = new ArrayList<>();
        if (settings.compat() != CompatMode.NONE) {
            problems.add(Problem.config("compat", "has no effect on workload.kind=tf"));
        }
        problems.addAll(SuiteNet.check(workload.net()));
        problems.addAll(Verbs.check(workload.data().ops(), workload.host(settings.suite()), workload.special()));
        if (rates(workload).isEmpty() && workload.hardware().isPresent()) {
            problems.add(Problem.config(
                    "workload.hardware",
                    workload.hardware().get().name() + " states no peak rate of the workload's precision"));
        }
        StageException.refuse(problems);
        graph(workload, settings.suite());
    }

    static OperatorGraph graph(TfWorkload workload, SuiteSettings suite) {
        return SuiteNet.graph(
                workload.net(),
                new SuiteOptions(
                        workload.batch(suite),
                        workload.data().input(),
                        workload.values().seed(),
                        workload.train().optimizer(),
                        isMixed(workload) ? HALF_BYTES : FULL_BYTES));
    }

    private static boolean isMixed(TfWorkload workload) {
        return workload.train().precision() == TfWorkload.Precision.MIXED_FLOAT16;
    }

    /** Peak rates of the workload's device in its precision. */
    static Optional<PeakRates> rates(TfWorkload workload) {
        return workload.hardware().flatMap(card -> (isMixed(workload)
                        ? card.bf16OrFp16Tflops()
                        : card.rates().fp32Tflops())
                .map(tflops -> new PeakRates(tflops * TERA_PER_NS, card.statedMemBwGbs())));
    }
}
