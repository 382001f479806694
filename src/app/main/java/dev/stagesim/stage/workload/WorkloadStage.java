package dev.stagesim.stage.workload;

import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageKind;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.traces.ChakraGenerateWorkload;
import dev.stagesim.traces.ChakraTextWorkload;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.TfWorkload;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Generates a workload: lengths, arrival times and optional prompts of requests. */
public final class WorkloadStage implements Stage<WorkloadStageSettings> {
    @Override
    public StageSpec<WorkloadStageSettings> spec() {
        return new StageSpec<>(
                "workload",
                "Make a workload: generate requests, read a public trace, or write a training workload.",
                WorkloadStageSettings.class,
                () -> List.of(
                        Tables.TRACE_LENGTHS,
                        Tables.TRACE_INTERVALS,
                        Tables.TRACE_TOKENS,
                        Tables.TRACE_LABELS,
                        SuiteTables.OPERATORS),
                3,
                false);
    }

    @Override
    public List<Upstream> upstreams(WorkloadStageSettings settings) {
        return List.of();
    }

    /** A workload kind of this package, with its files, checks and writer. */
    private record Own<W>(Class<W> choice, Reads<W> reads, Checks<W> checks, Writes<W> writes)
            implements StageKind<WorkloadStageSettings> {
        interface Reads<W> {
            List<Path> files(W workload, WorkloadStageSettings all, Path home) throws IOException;
        }

        interface Checks<W> {
            void check(W workload, WorkloadStageSettings all, Path home) throws IOException;
        }

        interface Writes<W> {
            void write(W workload, WorkloadStageSettings all, StageContext context) throws IOException;
        }

        @Override
        public List<Path> reads(WorkloadStageSettings all, Path home) throws IOException {
            return reads.files(choice.cast(all.workload()), all, home);
        }

        @Override
        public void check(WorkloadStageSettings all, Path home) throws IOException {
            checks.check(choice.cast(all.workload()), all, home);
        }

        @Override
        public void run(WorkloadStageSettings all, StageContext context) throws IOException {
            check(all, context.home());
            writes.write(choice.cast(all.workload()), all, context);
        }
    }

    /** Returns the kind of the settings, from this package or from a feature. */
    private static StageKind<WorkloadStageSettings> kind(WorkloadStageSettings settings) {
        Class<?> type = settings.workload().getClass();
        Map<Class<?>, Supplier<Own<?>>> kinds = Map.of(
                ServingWorkload.class, WorkloadStage::requests,
                MnkWorkload.class, WorkloadStage::products,
                ChakraTextWorkload.class, WorkloadStage::text,
                ChakraGenerateWorkload.class, WorkloadStage::figures,
                CatalogWorkload.class, WorkloadStage::catalog);
        return kinds.containsKey(type)
                ? kinds.get(type).get()
                : StageKind.of(type, "workload.kind", KeyRecord.kind(type));
    }

    private static Own<?> requests() {
        return new Own<>(
                ServingWorkload.class,
                WorkloadStage::servingFiles,
                (serving, all, home) -> ServingChecks.check(serving, all.arrival(), all.compat()),
                (serving, all, context) -> {
                    expected(serving, all.arrival()).ifPresent(context::expect);
                    new ServingWriter(context).write(serving(all, serving, context.home()));
                });
    }

    private static Own<?> products() {
        return new Own<>(
                MnkWorkload.class,
                WorkloadStage::productFiles,
                (products, all, home) -> MnkChecks.check(products, all.compat()),
                (products, all, context) -> new MnkWriter(products, all.compat(), context).write());
    }

    private static Own<?> text() {
        return new Own<>(
                ChakraTextWorkload.class,
                (text, all, home) -> located(text.file(), home),
                (text, all, home) -> ChakraTextChecks.check(text, all.compat()),
                (text, all, context) -> new ChakraTextWriter(text, all.compat(), context).write());
    }

    private static Own<?> figures() {
        return new Own<>(
                ChakraGenerateWorkload.class,
                (figures, all, home) -> List.of(),
                (figures, all, home) -> ChakraGenerateChecks.check(figures, all.compat()),
                (figures, all, context) -> new ChakraGenerateWriter(figures, all.compat(), context).write());
    }

    private static Own<?> catalog() {
        return new Own<>(
                CatalogWorkload.class,
                (catalog, all, home) -> located(catalog.source().file(), home),
                (catalog, all, home) -> CatalogWriter.check(catalog, all.compat(), home),
                (catalog, all, context) -> new CatalogWriter(catalog, context).write());
    }

    private static List<Path> located(Optional<Path> file, Path home) {
        return file.map(given -> ShippedFiles.file(given, home)).stream().toList();
    }

    private static List<Path> servingFiles(ServingWorkload serving, WorkloadStageSettings all, Path home) {
        List<Path> files = new ArrayList<>(located(serving.source().file(), home));
        serving.source()
                .tokenizer()
                .flatMap(name -> UserFiles.tokenizerFile(name, home))
                .ifPresent(files::add);
        if (all.arrival() instanceof ArrivalSettings.Trace trace) {
            files.addAll(located(trace.file(), home));
        }
        return files;
    }

    private static List<Path> productFiles(MnkWorkload products, WorkloadStageSettings all, Path home) {
        List<Path> files = new ArrayList<>(located(products.mnk(), home));
        files.addAll(located(products.times().table(), home));
        if (products.times().compute().isSystolic()) {
            files.add(MnkCompute.array(products, home));
        }
        return files;
    }

    private static final double SECONDS_PER_REQUEST = 6e-6;

    /** Bytes per request: arrays of lengths and times, copied once. */
    private static final double MEMORY_PER_REQUEST = 100;

    /** Bytes per request on disk: a row in each of two tables and a line of prompts. */
    private static final double DISK_PER_REQUEST = 130;

    @Override
    public List<Path> reads(WorkloadStageSettings settings, Path home) throws IOException {
        return kind(settings).reads(settings, home);
    }

    @Override
    public void check(WorkloadStageSettings settings, Path home) throws IOException {
        kind(settings).check(settings, home);
    }

    @Override
    public void run(WorkloadStageSettings settings, StageContext context) throws IOException {
        kind(settings).run(settings, context);
    }

    @Override
    public List<String> ignoredSections(WorkloadStageSettings settings) {
        List<String> unread = new ArrayList<>();
        if (!(settings.workload() instanceof ServingWorkload)) {
            unread.add("arrival");
        }
        if (!(settings.workload() instanceof TfWorkload)) {
            unread.add("suite");
        }
        return unread;
    }

    /** Returns the estimated cost of generating requests; unknown for requests of a file. */
    private static Optional<Estimate> expected(ServingWorkload serving, ArrivalSettings arrival) {
        double rate = arrival.rate().map(ArrivalSettings.Rate::qps).orElse(0.0);
        double requests = serving.source().file().isPresent()
                ? 0
                : serving.numRequests()
                        .map(Integer::doubleValue)
                        .orElse(serving.duration().orElse(0.0) * rate);
        return requests > 0
                ? Optional.of(new Estimate(
                        requests,
                        "requests",
                        requests * SECONDS_PER_REQUEST,
                        requests * MEMORY_PER_REQUEST,
                        requests * DISK_PER_REQUEST))
                : Optional.empty();
    }

    /**
     * Returns the requests of a serving workload in memory, for checks that need sub-nanosecond times.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public RequestTable requests(WorkloadStageSettings settings, Path home) throws IOException {
        if (settings.workload() instanceof ServingWorkload serving) {
            ServingChecks.check(serving, settings.arrival(), settings.compat());
            return serving(settings, serving, home).requests();
        }
        throw new IllegalArgumentException("not a serving workload");
    }

    /** Returns the {@link RequestTable} of a serving workload. */
    @Override
    public Optional<Object> product(WorkloadStageSettings settings, Path home) throws IOException {
        return settings.workload() instanceof ServingWorkload
                ? Optional.of(requests(settings, home))
                : Optional.empty();
    }

    private static GeneratedRequests serving(WorkloadStageSettings settings, ServingWorkload serving, Path home)
            throws IOException {
        return ServingBuilder.build(serving, settings.arrival(), settings.compat(), home);
    }
}
