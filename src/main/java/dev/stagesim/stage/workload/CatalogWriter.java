package dev.stagesim.stage.workload;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.sim.capacity.PhaseRequests;
import dev.stagesim.stage.CatalogTree;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes a catalog's entry, and for a served one the requests that stand for its phases. */
final class CatalogWriter {
    /** Long enough for a phase's last requests to be done. */
    private static final double PAUSE_SECONDS = 300;

    private final CatalogWorkload settings;
    private final StageContext context;

    CatalogWriter(CatalogWorkload settings, StageContext context) {
        this.settings = settings;
        this.context = context;
    }

    /** Refuses what would have no effect, then entries that lack something. */
    static void check(CatalogWorkload settings, Path home) throws IOException {
        List<Problem> problems = new ArrayList<>();
        if (settings.dir().isPresent()) {
            problems.add(Problem.of(
                    "config error",
                    "workload.dir",
                    "it names a finished workload, so there is nothing left for this stage to make"));
        }
        if (settings.entry().isPresent() && settings.file().isEmpty()) {
            problems.add(Problem.of("config error", "workload.entry", "it has no effect without workload.file"));
        }
        if (settings.file().isPresent()) {
            CatalogTree.written(settings)
                    .forEach(key -> problems.add(Problem.of(
                                    "config error",
                                    "workload." + key,
                                    "has no effect beside workload.file, whose entries say everything themselves")
                            .hint("choose workload=catalog for an entry of a file")));
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        CatalogTree.entry(settings, home);
    }

    void write() throws IOException {
        check(settings, context.home());
        JsonValue.Obj tree = CatalogTree.of(settings, context.home());
        CatalogEntry entry = EntryReader.read(tree, CatalogTree.source(settings));
        List<CatalogEntry.Phase> rated = entry.isServed()
                ? entry.phases().stream()
                        .filter(phase -> phase.rate().isPresent())
                        .toList()
                : List.of();
        if (entry.isServed() && rated.size() < entry.phases().size()) {
            context.warn("no requests stand for phases without arrival.requests_per_sec: "
                    + (entry.phases().size() - rated.size()) + " of "
                    + entry.phases().size());
        }
        List<JsonValue> places = rated.isEmpty() ? List.of() : requests(rated);
        Json.write(
                context.out().resolve(JsonArtifacts.CATALOG_ENTRY.name()),
                JsonArtifacts.CATALOG_ENTRY,
                JsonValue.object()
                        .put("schema_version", JsonArtifacts.CATALOG_ENTRY.version())
                        .put("entry", tree)
                        .put("requests", JsonValue.of(places))
                        .build());
        Files.writeString(context.out().resolve("summary.md"), summary(entry), StandardCharsets.UTF_8);
        context.headline("phases", entry.phases().size());
        context.headline("schedule_minutes", entry.minutes());
    }

    private List<JsonValue> requests(List<CatalogEntry.Phase> phases) throws IOException {
        List<PhaseRequests.Load> loads = phases.stream()
                .map(phase -> new PhaseRequests.Load(
                        phase.rate().orElseThrow(), phase.arrivalVariation(), phase.prompt(), phase.generate()))
                .toList();
        PhaseRequests requests =
                PhaseRequests.draw(loads, settings.requestsPerPhase(), PAUSE_SECONDS, settings.drawSeed());
        lengths(requests, phases);
        intervals(requests);
        List<JsonValue> places = new ArrayList<>();
        for (int i = 0; i < phases.size(); i++) {
            places.add(JsonValue.object()
                    .put("phase", phases.get(i).name())
                    .put("first_request", requests.first()[i])
                    .put("num_requests", requests.first()[i + 1] - requests.first()[i])
                    .build());
        }
        return places;
    }

    private void lengths(PhaseRequests requests, List<CatalogEntry.Phase> phases) throws IOException {
        Path file = context.out().resolve(Tables.TRACE_LENGTHS.name());
        try (TableWriter table = TableWriter.create(file, Tables.TRACE_LENGTHS)) {
            for (int phase = 0; phase < phases.size(); phase++) {
                for (int i = requests.first()[phase]; i < requests.first()[phase + 1]; i++) {
                    table.put((long) i)
                            .put(phases.get(phase).name() + "-" + i)
                            .put((long) requests.prompt()[i])
                            .put((long) requests.generate()[i])
                            .endRow();
                }
            }
        }
    }

    private void intervals(PhaseRequests requests) throws IOException {
        Path file = context.out().resolve(Tables.TRACE_INTERVALS.name());
        try (TableWriter table = TableWriter.create(file, Tables.TRACE_INTERVALS)) {
            long last = 0;
            for (int i = 0; i < requests.size(); i++) {
                long arrival = requests.arrivalNs()[i];
                table.put((long) i).put(arrival - last).put(arrival).endRow();
                last = arrival;
            }
        }
    }

    private String summary(CatalogEntry entry) {
        DataTable table = new DataTable("Phases")
                .text("Phase")
                .number("Minutes")
                .number("Requests/s")
                .number("Prompt tokens")
                .number("Output tokens");
        for (CatalogEntry.Phase phase : entry.phases()) {
            table.row(
                    phase.name(),
                    Numbers.plain(phase.minutes()),
                    phase.rate().map(Numbers::plain).orElse(Numbers.NONE),
                    Numbers.count(phase.prompt()),
                    Numbers.count(phase.generate()));
        }
        String kind = entry.isServed() ? "serves requests" : "trains";
        return new Markdown()
                .heading(1, "Workload " + entry.name())
                .paragraph("It " + kind + " for " + Numbers.plain(entry.minutes()) + " minutes: tensor parallel "
                        + entry.parallelism().tp() + ", pipeline stages "
                        + entry.parallelism().pp() + ", copies "
                        + entry.parallelism().dp() + ".")
                .table(table)
                .build();
    }
}
