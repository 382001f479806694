package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A vidur_sim run of the workload with the number of copies in its catalog entry. */
public record StatedRun(String link, String runId, List<Phase> phases) {
    public StatedRun {
        phases = List.copyOf(phases);
    }

    /** Latencies of a phase. */
    public record Phase(
            String name, int requests, double p50TtftMs, double p99TtftMs, double p50TpotMs, double p99TpotMs) {}

    public static StatedRun read(RunInput workload, RunInput sim) throws IOException {
        RequestLatencies all = RequestLatencies.read(sim.dir());
        List<Phase> phases = new ArrayList<>();
        for (CatalogDocument.Part place :
                CatalogDocument.read(workload.file(CatalogDocument.FILE)).requests()) {
            RequestLatencies part = all.range(place.firstRequest(), place.numRequests());
            if (part.size() > 0) {
                phases.add(new Phase(
                        place.phase(),
                        part.size(),
                        part.ttftMs(0.5),
                        part.ttftMs(0.99),
                        part.tpotMs(0.5),
                        part.tpotMs(0.99)));
            }
        }
        return new StatedRun(link(sim), sim.runId(), phases);
    }

    /** Returns the path of the report of a run, relative to a sibling run. */
    public static String link(RunInput run) {
        return "../../" + run.runType() + "/" + run.runId() + "/report.html";
    }
}
