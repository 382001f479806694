package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.AtlasSettings;
import dev.stagesim.capacity.CatalogTree;
import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.feature.fabric.FabricStageSettings.Mode;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.RunMetadata;
import dev.stagesim.feature.fabric.performance.TargetCoefficients;
import dev.stagesim.io.fabric.AtlasReport;
import dev.stagesim.io.fabric.AtlasTool;
import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.fabric.FabricTables;
import dev.stagesim.io.gzip.OutputFile;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageFlag;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The stage {@code fabric}: computes capacity, latency, power, carbon and cost of a workload, and searches for the
 * cheapest settings.
 */
final class FabricStage implements Stage<FabricStageSettings> {
    private static final String WORKLOAD = "workload";
    private static final String SIM = "sim";
    private static final String REAL = "real";
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
            TrainingUpstream.ROLE);

    @Override
    public StageSpec<FabricStageSettings> spec() {
        return new StageSpec<>(
                "fabric",
                "Plan capacity, latency, power and cost of a workload on targets, and search for the cheapest"
                        + " settings.",
                FabricStageSettings.class,
                FabricTables::all,
                3,
                false);
    }

    @Override
    public List<StageFlag> flags() {
        return List.of(new StageFlag(
                "--optimize", "optimize=true", "Search all targets for the cheapest settings that meet the SLO."));
    }

    @Override
    public List<Upstream> upstreams(FabricStageSettings settings) {
        return upstreams(settings, Optional.empty());
    }

    @Override
    public List<Upstream> upstreams(FabricStageSettings settings, Path home) throws IOException {
        Optional<CatalogEntry> entry;
        try {
            entry = entry(settings, home);
        } catch (StageException incomplete) {
            entry = Optional.empty(); // check() reports the problem
        }
        return upstreams(settings, entry);
    }

    /** Returns the entry of the workload with command-line overrides, if it is available before the workload runs. */
    private static Optional<CatalogEntry> entry(FabricStageSettings settings, Path home) throws IOException {
        return settings.workload() instanceof CatalogWorkload catalog
                ? CatalogTree.entry(catalog, home)
                        .map(entry -> tuned(entry, settings.machines().tuning()))
                : Optional.empty();
    }

    private static List<Upstream> upstreams(FabricStageSettings settings, Optional<CatalogEntry> entry) {
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
        if (settings.machines().source() == Source.SIMULATED
                && entry.map(CatalogEntry::isServed).orElse(true)) {
            all.add(served(settings, entry));
        }
        entry.flatMap(known -> TrainingUpstream.of(settings, known)).ifPresent(all::add);
        if (settings.machines().source() == Source.MEASURED
                && settings.runs().real().dir().isPresent()) {
            all.add(new Upstream(
                    REAL,
                    "real_bench",
                    List.of("real_bench"),
                    "real.dir",
                    settings.runs().real().dir()));
        }
        return all;
    }

    /** Returns the simulation of the copies that the workload states. */
    private static Upstream served(FabricStageSettings settings, Optional<CatalogEntry> entry) {
        Upstream run = new Upstream(
                        SIM,
                        "vidur_sim",
                        List.of("vidur_sim"),
                        "sim.dir",
                        settings.runs().sim().dir())
                .feeding(WORKLOAD, WORKLOAD);
        return entry.map(CatalogEntry::parallelism)
                .map(spread -> run.with(Map.of(
                        "cluster.tensor_parallel_size", spread.tp(),
                        "cluster.num_pipeline_stages", spread.pp(),
                        "cluster.replicas", spread.dp())))
                .orElse(run);
    }

    @Override
    public List<String> ignoredSections(FabricStageSettings settings) {
        if (settings.compat() == Mode.ATLAS) {
            return settings.atlas().targets().isPresent()
                            && settings.atlas().hardware().isPresent()
                    ? Stream.concat(NOT_ATLAS.stream(), Stream.of("target")).toList()
                    : NOT_ATLAS;
        }
        List<String> unread = new ArrayList<>(List.of("atlas"));
        if (settings.machines().source() == Source.SEMI_EMPIRICAL) {
            unread.addAll(List.of("profile", SIM, REAL, TrainingUpstream.ROLE));
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
        return settings.optimizer().calibration().runs();
    }

    @Override
    public void check(FabricStageSettings settings, Path home) throws IOException {
        List<Problem> problems = new ArrayList<>(FabricChecks.problems(settings));
        if (settings.compat() != Mode.ATLAS) {
            try {
                entry(settings, home).ifPresent(entry -> problems.addAll(FabricChecks.entry(settings, entry)));
            } catch (StageException incomplete) {
                problems.addAll(incomplete.problems());
            }
        }
        StageException.refuse(problems);
    }

    @Override
    public void run(FabricStageSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        if (settings.compat() == Mode.ATLAS) {
            new AtlasRun(settings, context).write();
            return;
        }
        CatalogEntry entry =
                tuned(entry(context.input(WORKLOAD)), settings.machines().tuning());
        StageException.refuse(FabricChecks.entry(settings, entry));
        UnsupportedInputs.in(entry, settings.machines().source() == Source.SEMI_EMPIRICAL)
                .forEach(context::warn);
        ModelFeature.warnings(
                        settings.model(),
                        UnsupportedInputs.modelled(entry, settings.machines().source()))
                .forEach(context::warn);
        Optional<CoefficientFit> fit = settings.optimizer().calibration().runs().isEmpty()
                ? Optional.empty()
                : Optional.of(RunMetadata.fit(
                        settings.optimizer().calibration().runs(),
                        settings.optimizer().calibration().level(),
                        settings.machines().target().device().name()));
        FabricPlanner planning = new FabricPlanner(settings, context, entry, fit);
        planning.scope().ifPresent(context::notice);
        FabricResult result = planning.result();
        new FabricWriter(settings, context, result, planning.evaluations()).write();
    }

    private static CatalogEntry entry(RunInput workload) throws IOException {
        if (!workload.has(CatalogDocument.FILE)) {
            throw StageException.input(Problem.artifact(
                            workload.dir().toString(),
                            "has no " + CatalogDocument.FILE + ": it is not a catalog workload")
                    .hint("choose workload=chat_service, or another with workload.kind=catalog"));
        }
        return EntryReader.read(
                CatalogDocument.read(workload.file(CatalogDocument.FILE)).entry(), "workload entry");
    }

    /** Applies runtime settings of the command line to an entry. */
    private static CatalogEntry tuned(CatalogEntry entry, CatalogWorkload.Tuning over) {
        CatalogEntry.Tuning stated = entry.tuning();
        return entry.with(new CatalogEntry.Tuning(
                over.microbatch().orElse(stated.microbatch()),
                over.cudaGraphs().orElse(stated.cudaGraphs()),
                over.gpudirectRdma().orElse(stated.gpuDirect()),
                over.virt()
                        .map(virt -> virt == CatalogWorkload.Virtualisation.SRIOV)
                        .orElse(stated.sriov()),
                over.fabric().orElse(stated.fabric())));
    }

    /** Reproduces a run of Atlas Fabric: a record, an optimised record if requested, and the report of both. */
    private record AtlasRun(FabricStageSettings settings, StageContext context) {
        /** Fixed time of records, so that they are reproducible; run_meta.json has the real time. */
        private static final String NO_TIME = "1970-01-01T00:00:00";

        private static final Pattern REFERENCE_NAME =
                Pattern.compile("[^\\p{Cntrl}/\\\\:*?\"<>|.-][^\\p{Cntrl}/\\\\:*?\"<>|]{0,99}");
        private static final String LAST = "last_run.json";

        void write() throws IOException {
            AtlasSettings atlas = settings.atlas();
            JsonValue.Obj workload = workload();
            JsonValue.Obj target = atlas.targets().isPresent()
                    ? Catalog.target(atlas.targets().get(), atlas.target().orElseThrow())
                    : AtlasTrees.target(settings.machines().target());
            AtlasTool tool = atlas.hardware().isPresent()
                    ? new AtlasTool(atlas.hardware().get(), NO_TIME)
                    : AtlasTool.withCard(
                            TargetCoefficients.atlas(settings.machines().target()), NO_TIME);
            String track = settings.machines()
                    .track()
                    .map(KeyNames::constant)
                    .orElseGet(() -> text(workload, "track", "parity"));
            BigInteger seed = AtlasTool.seed(atlas.seed());
            JsonValue.Obj made = tool.run(target, workload, track, tuning(), seed);
            Path out = context.out();
            String name = text(target, "name", "target") + "_" + text(workload, "name", "workload") + "_" + track + "_"
                    + seed + ".json";
            AtlasTool.write(OutputFile.in(out, artifact(name)), made);
            if (settings.optimizer().optimize()) {
                BigInteger optimizeSeed = AtlasTool.seed(atlas.optimizeSeed());
                JsonValue.Obj tuned = tool.optimise(new LocatedJson(name, "", made), atlas.slaP99Ms(), optimizeSeed);
                String tunedName = "optimized_" + text(target, "name", "target") + "_"
                        + text(workload, "name", "workload") + "_" + optimizeSeed + ".json";
                AtlasTool.write(OutputFile.in(out, artifact(tunedName)), tuned);
                AtlasTool.write(out.resolve(LAST), tuned);
                headlines(tuned);
            } else {
                AtlasTool.write(out.resolve(LAST), made);
                headlines(made);
            }
            List<Path> records = new ArrayList<>(List.of(out));
            records.addAll(atlas.records());
            Files.writeString(
                    out.resolve("report.md"), AtlasReport.markdown(records, "records"), StandardCharsets.UTF_8);
        }

        private JsonValue.Obj workload() throws IOException {
            AtlasSettings atlas = settings.atlas();
            return atlas.workloads().isPresent()
                    ? Catalog.workload(atlas.workloads().get(), atlas.workload().orElseThrow())
                    : CatalogDocument.read(context.input("workload").file(CatalogDocument.FILE))
                            .entry();
        }

        private Map<String, JsonValue> tuning() {
            CatalogWorkload.Tuning given = settings.machines().tuning();
            Map<String, JsonValue> tuning = new LinkedHashMap<>();
            given.microbatch().ifPresent(number -> tuning.put("microbatch", JsonValue.of((long) number)));
            given.cudaGraphs().ifPresent(flag -> tuning.put("cuda_graphs", JsonValue.of((boolean) flag)));
            given.gpudirectRdma().ifPresent(flag -> tuning.put("gpudirect_rdma", JsonValue.of((boolean) flag)));
            given.virt().ifPresent(virt -> tuning.put("virt", JsonValue.of(KeyNames.constant(virt))));
            given.fabric().ifPresent(fabric -> tuning.put("fabric", JsonValue.of(fabric)));
            return tuning;
        }

        private void headlines(JsonValue.Obj made) {
            LocatedJson at = new LocatedJson("record", "", made);
            context.headline(
                    "tokens_per_s", at.get("record").get("tokens_per_sec").asDouble());
            context.headline(
                    "node_power_w", at.get("record").get("node_power_w").asDouble());
            context.headline("usd_per_1k_tokens", at.get("dollar_per_1k_tokens").asDouble());
        }

        private static String text(JsonValue.Obj from, String key, String fallback) {
            return from.get(key)
                    .filter(JsonValue.Str.class::isInstance)
                    .map(value -> ((JsonValue.Str) value).value())
                    .orElse(fallback);
        }

        /** Returns the file name that the reference uses, or a valid one if that name is not allowed. */
        private static String artifact(String name) {
            String stem = name.substring(0, name.length() - ".json".length());
            return (REFERENCE_NAME.matcher(stem).matches() ? stem : PathPart.of(stem)) + ".json";
        }

        /** Converts a target to the trees that Atlas Fabric reads. */
        private static final class AtlasTrees {
            private static final GridSettings NO_GRID = new GridSettings("", 0, 0, 0, 0, "");

            private AtlasTrees() {}

            static JsonValue.Obj target(TargetSettings target) {
                NodeCosts nodeCosts = new NodeCosts(target, NO_GRID);
                return JsonValue.object()
                        .put("name", target.name())
                        .put("vendor", target.device().device().vendor())
                        .put("instance_type", target.device().device().form())
                        .put("accelerators_per_node", target.acceleratorsPerNode())
                        .put("num_nodes", target.numNodes())
                        .put("memory_gb_per_accel", target.device().memory().memGb())
                        .put(
                                "interconnect",
                                JsonValue.object()
                                        .put("type", target.device().scaleup().scaleupName())
                                        .put(
                                                "bw_GBps",
                                                target.device().scaleup().scaleupUniGbs())
                                        .build())
                        .put("host_cpu_arch", "x86")
                        .put("numeric", JsonValue.strings(List.of("bf16", "fp16")))
                        .put("collectives", JsonValue.strings(List.of("allreduce")))
                        .put("max_batch_tokens", 32768)
                        .put("container_base", "none")
                        .put(
                                "cost",
                                JsonValue.object()
                                        .put(
                                                "hourly_usd",
                                                NodeCosts.hasPrice(target)
                                                        ? nodeCosts.price().mode()
                                                        : 0.0)
                                        .put("energy_watts_node", nodeCosts.watts())
                                        .put("pue", target.power().pue())
                                        .build())
                        .build();
            }
        }
    }
}
