package dev.stagesim.feature.pytorch;

import dev.stagesim.feature.pytorch.json.SyntheticTrace;
import dev.stagesim.model.Count;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Report;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.traces.ChakraGenerateWorkload;
import dev.stagesim.traces.ChakraTextWorkload;
import dev.stagesim.traces.PytorchSyntheticWorkload;
import dev.stagesim.traces.PytorchWorkload;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.WorkloadSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Adds workloads from recorded PyTorch runs, and a generator of synthetic records. */
public final class PytorchFeature implements Feature {
    @Override
    public int position() {
        return 95;
    }

    @Override
    public List<Object> parts() {
        return List.of(
                new KeyVariants(
                        WorkloadSettings.class,
                        List.of(
                                ChakraTextWorkload.class,
                                ChakraGenerateWorkload.class,
                                PytorchWorkload.class,
                                PytorchSyntheticWorkload.class)),
                new Recorded(),
                new Synthetic());
    }

    /** Workload kind {@code chakra_pytorch}. */
    private static final class Recorded implements StageKind<WorkloadStageSettings> {
        @Override
        public Object choice() {
            return PytorchWorkload.class;
        }

        private static PytorchWorkload of(WorkloadStageSettings settings) {
            return (PytorchWorkload) settings.workload();
        }

        @Override
        public List<Path> reads(WorkloadStageSettings settings, Path home) {
            return PytorchFiles.of(of(settings), home).all();
        }

        @Override
        public void check(WorkloadStageSettings settings, Path home) {
            PytorchChecks.check(of(settings), settings.compat());
            PytorchFiles.of(of(settings), home);
        }

        @Override
        public void run(WorkloadStageSettings settings, StageContext context) throws IOException {
            PytorchChecks.check(of(settings), settings.compat());
            new PytorchWriter(of(settings), settings.compat(), context).write();
        }
    }

    /** Workload kind {@code pytorch_synthetic}. */
    private static final class Synthetic implements StageKind<WorkloadStageSettings> {
        @Override
        public Object choice() {
            return PytorchSyntheticWorkload.class;
        }

        @Override
        public void check(WorkloadStageSettings settings, Path home) {
            if (settings.compat() != CompatMode.NONE) {
                throw StageException.input(
                        Problem.config("compat", "has no effect on workload.kind=pytorch_synthetic"));
            }
        }

        @Override
        public void run(WorkloadStageSettings settings, StageContext context) throws IOException {
            check(settings, context.home());
            PytorchSyntheticWorkload wanted = (PytorchSyntheticWorkload) settings.workload();
            Path out = context.out();
            SyntheticTrace.Counts counts = new SyntheticTrace.Counts(0, 0, 0);
            for (int rank = 0; rank < wanted.ranks(); rank++) {
                context.progress("ranks", rank, wanted.ranks());
                counts = SyntheticTrace.write(
                        out.resolve("host_" + rank + ".json"), out.resolve("kineto_" + rank + ".json"), rank, wanted);
            }
            context.headline("events", counts.events());
            context.headline("host_ops", counts.hostOps());
            context.headline("device_ops", counts.deviceOps());
            new Report("Synthetic PyTorch traces of " + Count.of(wanted.ranks(), "rank"))
                    .answer("Each has " + counts.events() + " profiler events, " + counts.hostOps()
                            + " host operators and " + counts.deviceOps() + " device operators.")
                    .summary(out);
        }
    }
}
