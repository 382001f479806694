package dev.stagesim.stage.fabric;

import dev.stagesim.contract.FabricTables;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageFlag;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stage.fabric.FabricStageSettings.Mode;
import dev.stagesim.stage.fabric.FabricStageSettings.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The stage {@code fabric}: capacity, latency, power, carbon and cost of a workload, and the settings that cost least. */
public final class FabricStage implements Stage<FabricStageSettings> {
    private static final String WORKLOAD = "workload";
    private static final String SIM = "sim";
    private static final String REAL = "real";
    private static final String TRAIN = "train";
    private static final List<String> NOT_ATLAS = List.of(
            "model",
            "targets",
            "source",
            "slo",
            "autoscale",
            "grid",
            "uncertainty",
            "search",
            "calibration",
            "profile",
            "scheduler",
            "cluster",
            SIM,
            REAL,
            TRAIN);

    @Override
    public StageSpec<FabricStageSettings> spec() {
        return new StageSpec<>(
                "fabric",
                "Plan capacity, latency, power and cost of a workload on targets, and search for the cheapest settings.",
                FabricStageSettings.class,
                FabricTables.all(),
                1,
                false);
    }

    @Override
    public List<StageFlag> flags() {
        return List.of(
                new StageFlag("--optimize", "optimize=true", "Search for the cheapest settings that hold the slo."));
    }

    @Override
    public List<Upstream> upstreams(FabricStageSettings settings) {
        if (settings.compat() == Mode.ATLAS && settings.atlas().workloads().isPresent()) {
            return List.of();
        }
        Upstream workload = new Upstream(
                WORKLOAD,
                WORKLOAD,
                List.of(WORKLOAD),
                "workload.dir",
                settings.workload().dir());
        if (settings.compat() == Mode.ATLAS) {
            return List.of(workload);
        }
        List<Upstream> all = new ArrayList<>(List.of(workload));
        if (settings.source() == Source.SIMULATED && mayServe(settings)) {
            all.add(new Upstream(
                            SIM,
                            "vidur_sim",
                            List.of("vidur_sim"),
                            "sim.dir",
                            settings.sim().dir())
                    .feeding(WORKLOAD, WORKLOAD));
        }
        if (settings.source() == Source.SIMULATED && settings.train().dir().isPresent()) {
            all.add(new Upstream(
                    TRAIN,
                    "astra_sim",
                    List.of("astra_sim"),
                    "train.dir",
                    settings.train().dir()));
        }
        if (settings.source() == Source.MEASURED && settings.real().dir().isPresent()) {
            all.add(new Upstream(
                    REAL,
                    "real_bench",
                    List.of("real_bench"),
                    "real.dir",
                    settings.real().dir()));
        }
        return all;
    }

    /** Whether the workload may be one that is served, as far as the settings say. */
    private static boolean mayServe(FabricStageSettings settings) {
        return !(settings.workload() instanceof CatalogWorkload catalog)
                || catalog.sequence().generate().map(tokens -> tokens > 0).orElse(true);
    }

    @Override
    public List<String> unread(FabricStageSettings settings) {
        if (settings.compat() == Mode.ATLAS) {
            return settings.atlas().targets().isPresent()
                            && settings.atlas().hardware().isPresent()
                    ? Stream.concat(NOT_ATLAS.stream(), Stream.of("target")).toList()
                    : NOT_ATLAS;
        }
        List<String> unread = new ArrayList<>(List.of("atlas"));
        if (settings.source() == Source.SEMI_EMPIRICAL) {
            unread.addAll(List.of("profile", SIM, REAL, TRAIN));
        }
        return unread;
    }

    @Override
    public List<Path> reads(FabricStageSettings settings, Path home) {
        if (settings.compat() == Mode.ATLAS) {
            return Stream.concat(
                            Stream.of(
                                            settings.atlas().targets(),
                                            settings.atlas().workloads(),
                                            settings.atlas().hardware())
                                    .flatMap(Optional::stream),
                            settings.atlas().records().stream())
                    .toList();
        }
        return settings.calibration().runs();
    }

    @Override
    public void check(FabricStageSettings settings, Path home) {
        List<Problem> problems = FabricChecks.problems(settings);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    @Override
    public void run(FabricStageSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        if (settings.compat() == Mode.ATLAS) {
            new AtlasRun(settings, context).write();
            return;
        }
        CatalogEntry entry = tuned(entry(context.input(WORKLOAD)), settings.tuning());
        FabricChecks.entry(settings, entry);
        Unmodelled.in(entry).forEach(context::warn);
        Optional<Fit> fit = settings.calibration().runs().isEmpty()
                ? Optional.empty()
                : Optional.of(RunFacts.fit(
                        settings.calibration().runs(),
                        settings.calibration().level(),
                        settings.target().device().name()));
        Planning planning = new Planning(settings, context, entry, fit);
        Result result = planning.result();
        new FabricWriter(settings, context, result, planning.evaluations()).write();
    }

    private static CatalogEntry entry(RunInput workload) throws IOException {
        Path file = workload.file(JsonArtifacts.CATALOG_ENTRY.name());
        if (!workload.has(JsonArtifacts.CATALOG_ENTRY.name())) {
            throw StageException.input(Problem.of(
                            "artifact error",
                            workload.dir().toString(),
                            "has no " + JsonArtifacts.CATALOG_ENTRY.name() + ": it is no workload of a catalog")
                    .hint("choose workload=chat_service, or another with workload.kind=catalog"));
        }
        return EntryReader.read(Json.read(file).get("entry").object(), "workload entry");
    }

    /** The entry with settings of the command line over its own. */
    private static CatalogEntry tuned(CatalogEntry entry, CatalogWorkload.Tuning over) {
        CatalogEntry.Tuning own = entry.tuning();
        return entry.with(new CatalogEntry.Tuning(
                over.microbatch().orElse(own.microbatch()),
                over.cudaGraphs().orElse(own.cudaGraphs()),
                over.gpudirectRdma().orElse(own.gpuDirect()),
                over.virt()
                        .map(virt -> virt == CatalogWorkload.Virtualisation.SRIOV)
                        .orElse(own.sriov()),
                over.fabric().orElse(own.fabric())));
    }
}
