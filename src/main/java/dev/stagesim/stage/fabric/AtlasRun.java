package dev.stagesim.stage.fabric;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.fabric.AtlasReport;
import dev.stagesim.io.fabric.AtlasTool;
import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.settings.AtlasSettings;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A run as Atlas Fabric does it: a record, with {@code optimize} a tuned one, and the report over both. */
final class AtlasRun {
    /** Records are made again byte for byte; when a run was made is in run_meta.json. */
    private static final String NO_TIME = "1970-01-01T00:00:00";

    private static final String LAST = "last_run.json";

    private final FabricStageSettings settings;
    private final StageContext context;

    AtlasRun(FabricStageSettings settings, StageContext context) {
        this.settings = settings;
        this.context = context;
    }

    void write() throws IOException {
        AtlasSettings atlas = settings.atlas();
        JsonValue.Obj workload = workload();
        JsonValue.Obj target = atlas.targets().isPresent()
                ? Catalog.target(atlas.targets().get(), atlas.target().orElseThrow())
                : AtlasTrees.target(settings.target());
        AtlasTool tool = atlas.hardware().isPresent()
                ? new AtlasTool(atlas.hardware().get(), NO_TIME)
                : AtlasTool.withCard(AtlasTrees.card(settings.target()), NO_TIME);
        String track = settings.track()
                .map(chosen -> chosen.name().toLowerCase(Locale.ROOT))
                .orElseGet(() -> text(workload, "track", "parity"));
        BigInteger seed = AtlasTool.seed(atlas.seed());
        JsonValue.Obj made = tool.run(target, workload, track, tuning(), seed);
        Path out = context.out();
        String name = text(target, "name", "target") + "_" + text(workload, "name", "workload") + "_" + track + "_"
                + seed + ".json";
        AtlasTool.write(out.resolve(safe(name)), made);
        if (settings.optimize()) {
            BigInteger optimizeSeed = AtlasTool.seed(atlas.optimizeSeed());
            JsonValue.Obj tuned = tool.optimise(new JsonAt(name, "", made), atlas.slaP99Ms(), optimizeSeed);
            String tunedName = "optimized_" + text(target, "name", "target") + "_" + text(workload, "name", "workload")
                    + "_" + optimizeSeed + ".json";
            AtlasTool.write(out.resolve(safe(tunedName)), tuned);
            AtlasTool.write(out.resolve(LAST), tuned);
            headlines(tuned);
        } else {
            AtlasTool.write(out.resolve(LAST), made);
            headlines(made);
        }
        List<Path> records = new ArrayList<>(List.of(out));
        records.addAll(atlas.records());
        Files.writeString(out.resolve("report.md"), AtlasReport.markdown(records, "records"), StandardCharsets.UTF_8);
    }

    private JsonValue.Obj workload() throws IOException {
        AtlasSettings atlas = settings.atlas();
        return atlas.workloads().isPresent()
                ? Catalog.workload(atlas.workloads().get(), atlas.workload().orElseThrow())
                : Json.read(context.input("workload").file(JsonArtifacts.CATALOG_ENTRY.name()))
                        .get("entry")
                        .object();
    }

    private Map<String, JsonValue> tuning() {
        CatalogWorkload.Tuning given = settings.tuning();
        Map<String, JsonValue> tuning = new LinkedHashMap<>();
        given.microbatch().ifPresent(number -> tuning.put("microbatch", JsonValue.of((long) number)));
        given.cudaGraphs().ifPresent(flag -> tuning.put("cuda_graphs", JsonValue.of((boolean) flag)));
        given.gpudirectRdma().ifPresent(flag -> tuning.put("gpudirect_rdma", JsonValue.of((boolean) flag)));
        given.virt()
                .ifPresent(virt -> tuning.put("virt", JsonValue.of(virt.name().toLowerCase(Locale.ROOT))));
        given.fabric().ifPresent(fabric -> tuning.put("fabric", JsonValue.of(fabric)));
        return tuning;
    }

    private void headlines(JsonValue.Obj made) {
        JsonAt at = new JsonAt("record", "", made);
        context.headline("tokens_per_s", at.get("record").get("tokens_per_sec").asDouble());
        context.headline("node_power_w", at.get("record").get("node_power_w").asDouble());
        context.headline("usd_per_1k_tokens", at.get("dollar_per_1k_tokens").asDouble());
    }

    private static String text(JsonValue.Obj from, String key, String otherwise) {
        return from.get(key)
                .filter(JsonValue.Str.class::isInstance)
                .map(value -> ((JsonValue.Str) value).value())
                .orElse(otherwise);
    }

    /** A file name stays in its directory. */
    private static String safe(String name) {
        return name.replace('/', '_').replace('\\', '_');
    }
}
