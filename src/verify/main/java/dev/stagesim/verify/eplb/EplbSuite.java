package dev.stagesim.verify.eplb;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.cluster.ExpertBalancer;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Suite of expert placements by DeepSeek's load balancer. */
public final class EplbSuite {
    private static final String PART = "cases";
    private static final double TOLERANCE = 1e-9;

    /** The suite. */
    public static final Suite SUITE = Suite.ofCases(
            "eplb",
            "Placements of DeepSeek's expert-parallel load balancer; a folder with"
                    + " cases/<case>/{case.json,expected.json}.",
            EplbSuite::replay);

    private EplbSuite() {}

    private static CaseResult replay(Path folder) throws IOException {
        String id = String.valueOf(folder.getFileName());
        LocatedJson given = Json.read(folder.resolve("case.json"));
        LocatedJson expected = Json.read(folder.resolve("expected.json"));
        List<LocatedJson> weights = given.get("weight").items();
        boolean isReal = weights.stream()
                .flatMap(row -> row.array().items().stream())
                .anyMatch(JsonValue.Real.class::isInstance);
        int gpus = given.get("num_gpus").asInt();
        ExpertBalancer balancer;
        try {
            balancer = new ExpertBalancer(
                    weights.get(0).asDoubles().length,
                    given.get("num_replicas").asInt(),
                    given.get("num_groups").asInt(),
                    given.get("num_nodes").asInt(),
                    gpus);
        } catch (IllegalArgumentException refused) {
            return expected.has("error")
                    ? CaseResult.passed(PART, id)
                    : CaseResult.failed(PART, id, "outcome", "a placement", String.valueOf(refused.getMessage()));
        }
        if (expected.has("error")) {
            return CaseResult.failed(PART, id, "outcome", "an error", "a placement");
        }
        DifferenceList differences = new DifferenceList();
        List<ExpertBalancer.Placement> placements = new ArrayList<>();
        for (int layer = 0; layer < weights.size(); layer++) {
            double[] weight = weight(weights.get(layer), isReal);
            ExpertBalancer.Placement placement = balancer.place(weight);
            placements.add(placement);
            compare(expected.get("physical_to_logical").items().get(layer), placement.logical(), differences);
            compare(expected.get("replicas").items().get(layer), placement.replicas(), differences);
            loads(
                    expected.get("gpu_load_max_mean").items().get(layer),
                    placement.deviceLoads(weight, gpus),
                    differences);
        }
        int width = placements.stream()
                .flatMapToInt(placement -> Arrays.stream(placement.replicas()))
                .max()
                .orElse(0);
        for (int layer = 0; layer < placements.size(); layer++) {
            List<LocatedJson> rows =
                    expected.get("logical_to_physical").items().get(layer).items();
            int[][] physical = placements.get(layer).physical(width);
            for (int expert = 0; expert < physical.length; expert++) {
                compare(rows.get(expert), physical[expert], differences);
            }
        }
        return differences.result(PART, id);
    }

    /** Converts weights to the tensor type of the reference: integers if all weights are integers, otherwise 32-bit floats. */
    private static double[] weight(LocatedJson row, boolean isReal) {
        double[] values = row.asDoubles();
        if (isReal) {
            Arrays.setAll(values, i -> (float) values[i]);
        }
        return values;
    }

    private static void compare(LocatedJson expected, int[] actual, DifferenceList differences) {
        String wanted = Arrays.toString(expected.asLongs());
        String got = Arrays.toString(actual);
        differences.same(expected.pointer(), wanted, got);
    }

    private static void loads(LocatedJson expected, double[] loads, DifferenceList differences) {
        double[] wanted = expected.asDoubles();
        double[] got = {
            Arrays.stream(loads).max().orElse(0), Arrays.stream(loads).sum() / loads.length
        };
        for (int i = 0; i < got.length; i++) {
            if (!(Math.abs(wanted[i] - got[i]) <= TOLERANCE * Math.max(1, Math.abs(wanted[i])))) {
                differences.add(expected.pointer() + "/" + i, String.valueOf(wanted[i]), String.valueOf(got[i]));
            }
        }
    }
}
