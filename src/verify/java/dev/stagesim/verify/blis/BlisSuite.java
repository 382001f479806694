package dev.stagesim.verify.blis;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonSame;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Whole runs of BLIS: every decision, every request, every instance. */
public final class BlisSuite implements Suite {
    /** Means and shares are sums in an order that is not recorded. */
    private static final double ROUNDING = 1e-12;

    /** Cases of its queue of transfers alone, which no stage has: they are not cases of this suite. */
    private static final String STATION = "station";

    @Override
    public String name() {
        return "blis";
    }

    @Override
    public String doc() {
        return "Clusters of BLIS: routers, admission, gateway queue, split pools, tiers, sessions, scaling, adapters;"
                + " a folder with cases/<case>/{case.json,expected.json}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        Path cases = corpus.resolve("cases");
        List<Path> folders = new ArrayList<>();
        for (Path folder : CaseFolders.in(cases)) {
            if (!family(folder).equals(STATION)) {
                folders.add(folder);
            }
        }
        CaseFolders.replay("cases", folders, BlisSuite::replay, results);
    }

    private static String family(Path folder) throws IOException {
        return Json.read(folder.resolve("case.json")).get("family").asString();
    }

    private static CaseResult replay(Path folder) throws IOException {
        JsonAt recorded = Json.read(folder.resolve("case.json"));
        JsonValue expected = Json.read(folder.resolve("expected.json")).value();
        String family = recorded.get("family").asString();
        String id = String.valueOf(folder.getFileName());
        JsonValue actual = ClusterCase.run(recorded);
        List<Difference> differences = JsonSame.differences(expected, actual, ROUNDING);
        return differences.isEmpty() ? CaseResult.passed(family, id) : CaseResult.failed(family, id, differences);
    }
}
