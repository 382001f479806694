package dev.stagesim.feature.cluster;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.cluster.SplitwiseCluster;
import dev.stagesim.sim.serving.cluster.SplitwiseInstance;
import dev.stagesim.sim.serving.cluster.SplitwiseInstance.Device;
import dev.stagesim.sim.serving.cluster.SplitwiseTask.Request;
import dev.stagesim.sim.serving.cluster.SplitwiseTimes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Requests on Splitwise's simulator, with what it tells of them. */
final class SplitwiseRun {
    private static final double GIB = 1L << 30;
    private static final double GB = 1e9;
    private static final double MS = 1e3;
    private static final int VALUE_BYTES = 2;

    private final SplitwiseCompat settings;
    private final ModelCard model;
    private final RequestTrace trace;
    private final List<PoolPlan> owners = new ArrayList<>();
    private final SplitwiseCluster cluster;
    private final double end;

    SplitwiseRun(SplitwiseCompat settings, ModelCard model, List<PoolPlan> pools, RequestTrace trace)
            throws IOException {
        this.settings = settings;
        this.model = model;
        this.trace = trace;
        List<Device> devices = new ArrayList<>();
        // instances of prompts are the first ones
        for (Role role : List.of(Role.PREFILL, Role.DECODE, Role.BOTH)) {
            for (PoolPlan pool : pools) {
                if (pool.role() == role) {
                    Device device = device(pool);
                    for (int i = 0; i < pool.replicas(); i++) {
                        owners.add(pool);
                        devices.add(device);
                    }
                }
            }
        }
        cluster = new SplitwiseCluster(
                new SplitwiseCluster.Config(
                        settings.scheduler().rule,
                        ClusterCompat.count(pools, Role.PREFILL),
                        ClusterCompat.count(pools, Role.DECODE),
                        settings.maxBatchSize(),
                        settings.maxBatchTokens(),
                        settings.maxPreemptions().orElse(-1),
                        settings.bandwidthGib() * GIB,
                        settings.maxPending(),
                        // every head of every token, whatever the model's attention keeps
                        2L * VALUE_BYTES * model.hiddenSize() * model.numLayers()),
                devices);
        for (int i = 0; i < trace.size(); i++) {
            cluster.add(trace.arrivalSeconds(i), trace.prefillTokens(i), trace.decodeTokens(i));
        }
        end = cluster.run();
    }

    private Device device(PoolPlan pool) throws IOException {
        long memory = (long) (pool.shape().devices() * pool.replica().hardware().memGb() * GIB);
        double weights = settings.weightsGb()
                .map(gb -> gb * GB)
                .orElse((double) model.size().parameters() * VALUE_BYTES);
        String name = pool.replica().hardware().name();
        if (settings.perf().isPresent()) {
            Path file = settings.perf().get();
            return new Device(
                    name,
                    memory,
                    (long) weights,
                    measured(file, pool, "prompt_time").seconds(),
                    measured(file, pool, "token_time").seconds());
        }
        Profile profile = Profile.of(pool);
        double prompts = IntStream.range(0, trace.size())
                .mapToDouble(i -> trace.prefillTokens(i) + trace.decodeTokens(i) / 2.0)
                .average()
                .orElse(1);
        return new Device(
                name,
                memory,
                (long) weights,
                profile::promptSeconds,
                requests -> profile.gapSeconds(requests, (int) Math.round(prompts)));
    }

    /** Rows of the table for such devices, as many of them as an instance has. */
    private SplitwiseTimes measured(Path file, PoolPlan pool, String column) throws IOException {
        LooseTable rows = LooseTable.read(file);
        String device = kind(pool.replica().hardware().name());
        SplitwiseTimes times = new SplitwiseTimes();
        for (int i = 0; i < rows.size(); i++) {
            int row = i;
            boolean isModel = settings.perfModel()
                    .map(name -> name.equals(rows.text(row, "model")))
                    .orElse(true);
            if (isModel
                    && kind(rows.text(i, "hardware")).equals(device)
                    && rows.integer(i, "tensor_parallel") == pool.shape().devices()) {
                times.add(rows.integer(i, "prompt_size") * rows.integer(i, "batch_size"), rows.number(i, column) / MS);
            }
        }
        if (times.size() < 2) {
            throw StageException.input(Problem.artifact(
                            file.toString(),
                            "has no times of " + device + " with "
                                    + pool.shape().devices() + " devices")
                    .hint("set tp of the pool " + pool.name() + " to the table's tensor_parallel"));
        }
        return times;
    }

    /** The first word of a device's name: h100-80gb and H100-SXM-80GB are both h100. */
    private static String kind(String hardware) {
        return hardware.toLowerCase(Locale.ROOT).split("-", 2)[0];
    }

    private double[] sortedMs(ToDoubleFunction<Request> what) {
        return cluster.requests().stream()
                .mapToDouble(request -> what.applyAsDouble(request) * MS)
                .filter(Double::isFinite)
                .sorted()
                .toArray();
    }

    private static double ttft(Request request) {
        return request.prompt().times()[2] - request.arrival();
    }

    private double tpot(Request request) {
        int outputs = trace.decodeTokens(request.id());
        return outputs < 2 ? Double.NaN : (request.end() - request.arrival() - ttft(request)) / (outputs - 1);
    }

    Map<String, Double> figures() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("requests", (double) trace.size());
        ClusterFigures.quantiles(all, "ttft", sortedMs(SplitwiseRun::ttft));
        ClusterFigures.quantiles(all, "tpot", sortedMs(this::tpot));
        ClusterFigures.quantiles(all, "e2e", sortedMs(request -> request.end() - request.arrival()));
        double[] moving = sortedMs(request -> request.transfer()[2] - request.transfer()[1]);
        if (moving.length > 0) {
            ClusterFigures.quantiles(all, "transfer", moving);
            ClusterFigures.quantiles(
                    all, "transfer_wait", sortedMs(request -> request.transfer()[1] - request.transfer()[0]));
        }
        all.put(
                "output_tokens_per_s",
                IntStream.range(0, trace.size())
                                .mapToDouble(trace::decodeTokens)
                                .sum()
                        / end);
        for (PoolPlan pool : owners.stream().distinct().toList()) {
            double busy = IntStream.range(0, owners.size())
                    .filter(i -> owners.get(i).equals(pool))
                    .mapToDouble(i -> cluster.instances().get(i).busy())
                    .average()
                    .orElse(0);
            all.put(pool.name() + "_busy_share", busy / end);
        }
        all.put(
                "preemptions",
                cluster.requests().stream()
                        .mapToDouble(
                                one -> one.prompt().preemptions() + one.tokens().preemptions())
                        .sum());
        return all;
    }

    /** Writes the requests, the figures and the report. */
    void write(ServingInput input, Path out, Map<String, Double> figures) throws IOException {
        ClusterCompat.requests(input, out, id -> {
            Request request = cluster.requests().get(id);
            return new ClusterCompat.Served(
                    RequestStatus.COMPLETED,
                    Parts.ns(ttft(request)),
                    Parts.ns(request.end() - request.arrival()),
                    tpot(request) * GB);
        });
        ClusterWriter.summary(out, figures);
        String missing =
                "Contention of transfers, prefix caches, the context of outputs in step times, and grouped heads in the"
                        + " memory of keys and values.";
        ClusterCompat.report("splitwise-sim", model.name(), owners.size(), figures, missing)
                .write(out);
    }

    /** All requests with their moments. */
    List<Request> requests() {
        return cluster.requests();
    }

    List<SplitwiseInstance> instances() {
        return cluster.instances();
    }
}
