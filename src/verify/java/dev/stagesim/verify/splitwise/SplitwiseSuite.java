package dev.stagesim.verify.splitwise;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.cluster.SplitwiseCluster;
import dev.stagesim.sim.serving.cluster.SplitwiseCluster.Rule;
import dev.stagesim.sim.serving.cluster.SplitwiseInstance;
import dev.stagesim.sim.serving.cluster.SplitwiseTask;
import dev.stagesim.sim.serving.cluster.SplitwiseTimes;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonParts;
import dev.stagesim.verify.JsonSame;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;

/** Every task and transfer of every request under Splitwise's rules of choosing and batching. */
public final class SplitwiseSuite implements Suite {
    private static final String PART = "cases";
    private static final double TOLERANCE = 1e-9;
    private static final double GIB = 1L << 30;
    private static final double MS = 1e3;
    private static final double USUAL_BANDWIDTH = 200;
    private static final long USUAL_PENDING = 8192;
    private static final long MEMORY = (8L * 80) << 30;
    private static final long WEIGHTS = 135_000_000_000L;

    /** Keys and values of a token; the reference counts every head of a model of 70 billion. */
    private static final long TOKEN_BYTES = 2L * 8192 * 80 * 2;

    @Override
    public String name() {
        return "splitwise";
    }

    @Override
    public String doc() {
        return "Requests on pools of Splitwise's instances; a folder with perf.csv and"
                + " cases/<case>/{case,expected}.json.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(corpus.resolve(PART), folder -> replay(folder, corpus.resolve("perf.csv")), results);
    }

    private static CaseResult replay(Path folder, Path perf) throws IOException {
        String id = String.valueOf(folder.getFileName());
        JsonAt given = Json.read(folder.resolve("case.json"));
        JsonAt config = given.get("config");
        List<SplitwiseInstance.Device> devices = new ArrayList<>();
        addDevices(devices, config.get("servers_a100").asInt(), "a100-80gb", perf);
        addDevices(devices, config.get("servers_h100").asInt(), "h100-80gb", perf);
        SplitwiseCluster cluster = new SplitwiseCluster(config(config), devices);
        for (JsonAt request : given.get("requests").items()) {
            double[] row = request.asDoubles();
            cluster.add(row[0], (int) row[1], (int) row[2]);
        }
        JsonValue actual =
                outcome(cluster, cluster.run(), config.get("prompt_servers").asInt());
        List<Difference> differences =
                JsonSame.differences(Json.read(folder.resolve("expected.json")).value(), actual, TOLERANCE);
        return differences.isEmpty() ? CaseResult.passed(PART, id) : CaseResult.failed(PART, id, differences);
    }

    private static SplitwiseCluster.Config config(JsonAt given) {
        String name = given.get("scheduler").asString();
        boolean isFast = name.startsWith("overlap_") || name.equals("kv_token_jsq");
        String rule = name.replace("overlap_", "").replace("kv_", "").toUpperCase(Locale.ROOT);
        double bandwidth =
                given.find("transfer_bandwidth").map(JsonAt::asDouble).orElse(USUAL_BANDWIDTH) * GIB;
        return new SplitwiseCluster.Config(
                Rule.valueOf(rule),
                given.get("prompt_servers").asInt(),
                given.get("token_servers").asInt(),
                given.get("max_batch_size").asInt(),
                given.get("max_batch_tokens").asInt(),
                given.get("instance_type").asString().equals("ORCA")
                        ? -1
                        : given.get("max_preemptions").asInt(),
                isFast ? 10 * bandwidth : bandwidth,
                given.find("prompt_max_pending").map(JsonAt::asLong).orElse(USUAL_PENDING),
                TOKEN_BYTES);
    }

    private static void addDevices(List<SplitwiseInstance.Device> devices, int count, String name, Path perf)
            throws IOException {
        for (int i = 0; i < count; i++) {
            devices.add(
                    new SplitwiseInstance.Device(name, MEMORY, WEIGHTS, times(perf, name, 6), times(perf, name, 7)));
        }
    }

    /** Step times of a column. */
    private static IntToDoubleFunction times(Path perf, String device, int column) throws IOException {
        SplitwiseTimes times = new SplitwiseTimes();
        for (String line : Files.readAllLines(perf)) {
            String[] cells = line.split(",", -1);
            if (cells[1].equals(device)) {
                times.add(
                        Integer.parseInt(cells[3]) * Integer.parseInt(cells[4]),
                        Double.parseDouble(cells[column]) / MS);
            }
        }
        return times.seconds();
    }

    private static JsonValue outcome(SplitwiseCluster cluster, double end, int promptServers) {
        List<JsonParts> requests = new ArrayList<>();
        cluster.requests().forEach(request -> requests.add(request(request)));
        List<JsonParts> instances = new ArrayList<>();
        for (SplitwiseInstance instance : cluster.instances()) {
            JsonValue tag = promptServers == 0
                    ? new JsonValue.Null()
                    : new JsonValue.Str(instance.number() < promptServers ? "prompt" : "token");
            instances.add(new JsonParts()
                    .with("id", instance.number())
                    .with("tag", tag)
                    .with("name", instance.device())
                    .with("max_memory", MEMORY)
                    .with("busy", instance.busy()));
        }
        int[] order =
                cluster.completed().stream().mapToInt(SplitwiseTask.Request::id).toArray();
        return new JsonParts()
                .with("completed", order.length)
                .with("end", end)
                .with("requests", JsonParts.list(requests))
                .with("order", JsonParts.ints(order))
                .with("instances", JsonParts.list(instances))
                .object();
    }

    private static JsonParts request(SplitwiseTask.Request request) {
        double[] transfer = request.transfer();
        List<JsonParts> nodes = new ArrayList<>();
        nodes.add(task("PromptTask", request.prompt()));
        nodes.add(task("TokenTask", request.tokens()));
        if (request.prompt().instance() != request.tokens().instance()) {
            nodes.add(node("KVCacheTransferFlow", transfer).with("on", "link").with("bytes", request.transferBytes()));
        }
        return new JsonParts()
                .with("id", request.id())
                .with("ttft", known(request.prompt().times()[2] - request.arrival()))
                .with("e2e", known(request.end() - request.arrival()))
                .with("nodes", JsonParts.list(nodes))
                .with(
                        "preemptions",
                        request.prompt().preemptions() + request.tokens().preemptions());
    }

    private static JsonParts task(String kind, SplitwiseTask task) {
        return node(kind, task.times()).with("on", task.instance()).with("bytes", new JsonValue.Null());
    }

    private static JsonParts node(String kind, double[] times) {
        return new JsonParts()
                .with("kind", kind)
                .with("arrive", known(times[0]))
                .with("start", known(times[1]))
                .with("end", known(times[2]));
    }

    /** What never happened has the time 0. */
    private static double known(double seconds) {
        return Double.isNaN(seconds) ? 0 : seconds;
    }
}
