package dev.stagesim.stage.workload;

import dev.stagesim.capacity.CatalogTree;
import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.sim.capacity.PhaseRequests;
import dev.stagesim.stage.StageContext;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes a catalog entry, and for a served workload the representative requests of its phases. */
record CatalogWriter(CatalogWorkload settings, StageContext context) {
    /** Gap between phases, which is long enough to complete the last requests of a phase. */
    private static final double PAUSE_SECONDS = 300;

    /** Rejects options without effect, then incomplete entries. */
    static void check(CatalogWorkload settings, CompatMode compat, Path home) throws IOException {
        List<Problem> problems = new ArrayList<>();
        if (compat != CompatMode.NONE) {
            problems.add(Problem.config("compat", "has no effect on workload.kind=catalog"));
        }
        if (settings.dir().isPresent()) {
            problems.add(Problem.config(
                    "workload.dir", "it refers to a finished workload, so this stage has nothing to generate"));
        }
        if (settings.source().file().isPresent()) {
            CatalogTree.statedKeys(settings)
                    .forEach(key -> problems.add(Problem.config(
                                    "workload." + key,
                                    "has no effect with workload.file, because its entries are complete")
                            .hint("use workload=catalog for an entry of a file")));
        }
        StageException.refuse(problems);
        CatalogTree.entry(settings, home);
    }

    void write() throws IOException {
        JsonValue.Obj tree = CatalogTree.of(settings, context.home());
        CatalogEntry entry = EntryReader.read(tree, CatalogTree.source(settings));
        List<CatalogEntry.Phase> rated = entry.isServed()
                ? entry.phases().stream()
                        .filter(phase -> phase.rate().isPresent())
                        .toList()
                : List.of();
        if (entry.isServed() && rated.size() < entry.phases().size()) {
            context.warn("phases without arrival.requests_per_sec have no requests: "
                    + (entry.phases().size() - rated.size()) + " of "
                    + entry.phases().size());
        }
        Json.writeDocument(context.out(), new CatalogDocument(tree, rated.isEmpty() ? List.of() : requests(rated)));
        summary(entry).summary(context.out());
        context.headline("phases", entry.phases().size());
        context.headline("schedule_minutes", entry.minutes());
    }

    private List<CatalogDocument.Part> requests(List<CatalogEntry.Phase> phases) throws IOException {
        List<PhaseRequests.Load> loads = phases.stream()
                .map(phase -> new PhaseRequests.Load(
                        phase.rate().orElseThrow(), phase.arrivalVariation(), phase.prompt(), phase.generate()))
                .toList();
        PhaseRequests requests =
                PhaseRequests.draw(loads, settings.sampling().requestsPerPhase(), PAUSE_SECONDS, settings.drawSeed());
        String[] names = new String[requests.size()];
        for (int phase = 0; phase < phases.size(); phase++) {
            Arrays.fill(
                    names,
                    requests.first()[phase],
                    requests.first()[phase + 1],
                    phases.get(phase).name());
        }
        RequestTables.lengths(
                context.out(),
                requests.size(),
                i -> names[i] + "-" + i,
                i -> requests.prompt()[i],
                i -> requests.generate()[i]);
        RequestTables.intervals(context.out(), requests.size(), i -> requests.arrivalNs()[i]);
        List<CatalogDocument.Part> parts = new ArrayList<>();
        for (int i = 0; i < phases.size(); i++) {
            int first = requests.first()[i];
            parts.add(new CatalogDocument.Part(phases.get(i).name(), first, requests.first()[i + 1] - first));
        }
        return parts;
    }

    private Report summary(CatalogEntry entry) {
        DataTable table =
                new DataTable("Phases").columns("Phase", "#Minutes", "#Requests/s", "#Prompt tokens", "#Output tokens");
        for (CatalogEntry.Phase phase : entry.phases()) {
            table.row(
                    phase.name(),
                    Numbers.plain(phase.minutes()),
                    phase.rate().map(Numbers::plain).orElse(Numbers.NONE),
                    Numbers.count(phase.prompt()),
                    Numbers.count(phase.generate()));
        }
        String kind = entry.isServed() ? "serves requests" : "trains";
        return new Report("Workload " + entry.name())
                .answer("It " + kind + " for " + Numbers.plain(entry.minutes()) + " minutes: tensor parallel "
                        + entry.parallelism().tp() + ", pipeline stages "
                        + entry.parallelism().pp() + ", copies "
                        + entry.parallelism().dp() + ".")
                .table(table);
    }
}
