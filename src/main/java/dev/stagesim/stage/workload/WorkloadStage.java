package dev.stagesim.stage.workload;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.ArrivalSettings;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.settings.ChakraGenerateWorkload;
import dev.stagesim.settings.ChakraTextWorkload;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.MnkWorkload;
import dev.stagesim.settings.PytorchSyntheticWorkload;
import dev.stagesim.settings.PytorchWorkload;
import dev.stagesim.settings.ServingWorkload;
import dev.stagesim.settings.TfWorkload;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes a workload: lengths and arrival times of requests, and their prompts where there are any. */
public final class WorkloadStage implements Stage<WorkloadStageSettings> {
    @Override
    public StageSpec<WorkloadStageSettings> spec() {
        return new StageSpec<>(
                "workload",
                "Make a workload: generate requests, read a public trace, or write a training workload.",
                WorkloadStageSettings.class,
                List.of(Tables.TRACE_LENGTHS, Tables.TRACE_INTERVALS, SuiteTables.OPERATORS),
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(WorkloadStageSettings settings) {
        return List.of();
    }

    @Override
    public List<Path> reads(WorkloadStageSettings settings, Path home) throws IOException {
        List<Path> files = new ArrayList<>();
        if (settings.workload() instanceof MnkWorkload products) {
            Stream.of(products.mnk(), products.table())
                    .flatMap(Optional::stream)
                    .forEach(file -> files.add(UserFiles.locate(file, home)));
            if (products.compute() == MnkWorkload.Compute.SCALE_SIM) {
                files.add(MnkCompute.array(products, home));
            }
            return files;
        }
        if (settings.workload() instanceof ChakraTextWorkload text) {
            text.file().map(file -> UserFiles.locate(file, home)).ifPresent(files::add);
            return files;
        }
        if (settings.workload() instanceof CatalogWorkload catalog) {
            catalog.file().map(file -> UserFiles.locate(file, home)).ifPresent(files::add);
            return files;
        }
        if (settings.workload() instanceof PytorchWorkload recorded) {
            return PytorchFiles.of(recorded, home).all();
        }
        if (settings.workload() instanceof PytorchSyntheticWorkload
                || settings.workload() instanceof ChakraGenerateWorkload
                || settings.workload() instanceof TfWorkload) {
            return files;
        }
        if (settings.workload() instanceof ServingWorkload serving) {
            serving.file().map(file -> UserFiles.locate(file, home)).ifPresent(files::add);
            serving.tokenizer()
                    .flatMap(name -> UserFiles.tokenizerFile(name, home))
                    .ifPresent(files::add);
        }
        arrivalFile(settings.arrival())
                .map(file -> UserFiles.locate(file, home))
                .ifPresent(files::add);
        return files;
    }

    private static Optional<Path> arrivalFile(ArrivalSettings arrival) {
        return arrival instanceof ArrivalSettings.Trace trace ? trace.file() : Optional.empty();
    }

    @Override
    public void check(WorkloadStageSettings settings, Path home) throws IOException {
        if (settings.workload() instanceof ServingWorkload serving) {
            ServingChecks.check(serving, settings.arrival(), settings.compat());
        } else if (settings.workload() instanceof MnkWorkload products) {
            MnkChecks.check(products, settings.compat());
        } else if (settings.workload() instanceof ChakraTextWorkload text) {
            ChakraTextChecks.check(text, settings.compat());
        } else if (settings.workload() instanceof ChakraGenerateWorkload figures) {
            ChakraGenerateChecks.check(figures, settings.compat());
        } else if (settings.workload() instanceof PytorchWorkload recorded) {
            PytorchChecks.check(recorded, settings.compat());
            PytorchFiles.of(recorded, home);
        } else if (settings.workload() instanceof PytorchSyntheticWorkload) {
            PytorchChecks.checkSynthetic(settings.compat());
        } else if (settings.workload() instanceof TfWorkload suite) {
            TfChecks.check(suite, settings);
        } else if (settings.workload() instanceof CatalogWorkload catalog) {
            CatalogWriter.check(catalog, home);
            if (settings.compat() != Compat.NONE) {
                throw StageException.input(
                        Problem.of("config error", "compat", "has no effect on workload.kind=catalog"));
            }
        }
    }

    @Override
    public List<String> unread(WorkloadStageSettings settings) {
        List<String> unread = new ArrayList<>();
        if (!(settings.workload() instanceof ServingWorkload)) {
            unread.add("arrival");
        }
        if (!(settings.workload() instanceof TfWorkload)) {
            unread.add("suite");
        }
        return unread;
    }

    @Override
    public void run(WorkloadStageSettings settings, StageContext context) throws IOException {
        // One branch per kind of workload.
        if (settings.workload() instanceof ServingWorkload serving) {
            new ServingWriter(context).write(serving(settings, serving, context.home()));
        } else if (settings.workload() instanceof MnkWorkload products) {
            MnkChecks.check(products, settings.compat());
            new MnkWriter(products, settings.compat(), context).write();
        } else if (settings.workload() instanceof ChakraTextWorkload text) {
            new ChakraTextWriter(text, settings.compat(), context).write();
        } else if (settings.workload() instanceof ChakraGenerateWorkload figures) {
            new ChakraGenerateWriter(figures, settings.compat(), context).write();
        } else if (settings.workload() instanceof PytorchWorkload recorded) {
            PytorchChecks.check(recorded, settings.compat());
            new PytorchWriter(recorded, settings.compat(), context).write();
        } else if (settings.workload() instanceof PytorchSyntheticWorkload synthetic) {
            PytorchChecks.checkSynthetic(settings.compat());
            new SyntheticWriter(synthetic, context).write();
        } else if (settings.workload() instanceof TfWorkload suite) {
            TfChecks.check(suite, settings);
            new TfWriter(suite, settings.suite(), context).write();
        } else if (settings.workload() instanceof CatalogWorkload catalog) {
            new CatalogWriter(catalog, context).write();
        }
    }

    /**
     * The requests of a serving workload, unwritten: for checks that need times finer than nanoseconds.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public RequestTable requests(WorkloadStageSettings settings, Path home) throws IOException {
        if (settings.workload() instanceof ServingWorkload serving) {
            return serving(settings, serving, home).requests();
        }
        throw new IllegalArgumentException("not a serving workload");
    }

    /** The {@link RequestTable} of a serving workload. */
    @Override
    public Optional<Object> product(WorkloadStageSettings settings, Path home) throws IOException {
        return settings.workload() instanceof ServingWorkload
                ? Optional.of(requests(settings, home))
                : Optional.empty();
    }

    private static Serving serving(WorkloadStageSettings settings, ServingWorkload serving, Path home)
            throws IOException {
        ServingChecks.check(serving, settings.arrival(), settings.compat());
        return ServingBuilder.build(serving, settings.arrival(), settings.compat(), home);
    }
}
