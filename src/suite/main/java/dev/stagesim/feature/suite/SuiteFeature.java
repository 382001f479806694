package dev.stagesim.feature.suite;

import dev.stagesim.bench.engine.EngineProgram;
import dev.stagesim.feature.suite.compare.FrameworkSides;
import dev.stagesim.feature.suite.report.SuiteReportStage;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.workload.TfWorkload;
import dev.stagesim.workload.WorkloadSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Adds the profiling suite: its workloads, their measurement and comparison, a report, and the engine. */
public final class SuiteFeature implements Feature {
    @Override
    public int position() {
        return 105;
    }

    @Override
    public List<Object> parts() {
        return List.of(
                new KeyVariants(WorkloadSettings.class, List.of(TfWorkload.class)),
                new Workload(),
                new Bench(),
                new FrameworkSides(),
                new SuiteReportStage(),
                TensorFlowEngine.CPU,
                TensorFlowEngine.GPU);
    }

    /** Workload kind {@code tf}. */
    private static final class Workload implements StageKind<WorkloadStageSettings> {
        @Override
        public Object choice() {
            return TfWorkload.class;
        }

        @Override
        public void check(WorkloadStageSettings settings, Path home) {
            TfChecks.check((TfWorkload) settings.workload(), settings);
        }

        @Override
        public void run(WorkloadStageSettings settings, StageContext context) throws IOException {
            check(settings, context.home());
            new TfWriter((TfWorkload) settings.workload(), settings.suite(), context).write();
        }
    }

    /** Measurement kind {@code bench=tf}. */
    private static final class Bench implements StageKind<RealBenchSettings> {
        @Override
        public Object choice() {
            return BenchSettings.Tf.class;
        }

        private static BenchSettings.Tf of(RealBenchSettings settings) {
            return (BenchSettings.Tf) settings.bench();
        }

        @Override
        public List<Path> reads(RealBenchSettings settings, Path home) throws IOException {
            return List.of(EngineProgram.sources(home, "tf"), FrameworkBench.array(of(settings), home));
        }

        @Override
        public List<String> ignoredSections(RealBenchSettings settings) {
            return List.of("model", "hardware", "real", "endpoint", "engine", "scheduler", "cluster");
        }

        @Override
        public boolean measures(RealBenchSettings settings) {
            return true;
        }

        @Override
        public void check(RealBenchSettings settings, Path home) {
            FrameworkBench.check(settings, of(settings), home);
        }

        @Override
        public void run(RealBenchSettings settings, StageContext context) throws IOException {
            new FrameworkBench(settings, of(settings), context).run();
        }
    }
}
