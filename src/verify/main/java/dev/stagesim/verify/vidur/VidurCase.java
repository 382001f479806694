package dev.stagesim.verify.vidur;

import dev.stagesim.io.csv.LegacyDecimal;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Translates a case's neutral configuration into the simulator's terms. */
final class VidurCase {
    private final LocatedJson config;
    private final Path folder;

    VidurCase(Path folder, LocatedJson config) {
        this.folder = folder;
        this.config = config;
    }

    String table() {
        return config.get("predictor").get("tables").asString();
    }

    int granularity() {
        return config.get("predictor").get("kv_cache_prediction_granularity").asInt();
    }

    ServingSpec spec() {
        LocatedJson cluster = config.get("cluster");
        VidurSkus.Device device = VidurSkus.device(cluster.get("device").asString());
        ClusterSpec machines = new ClusterSpec(
                cluster.get("num_replicas").asInt(),
                cluster.get("tensor_parallel_size").asInt(),
                cluster.get("num_pipeline_stages").asInt(),
                device.memoryGib(),
                device.tflops(),
                cluster.get("memory_margin_fraction").asDouble(),
                GlobalPolicy.valueOf(cluster.get("global_scheduler").asString().toUpperCase(Locale.ROOT)),
                config.get("seed").asLong());
        return new ServingSpec(
                VidurSkus.model(cluster.get("model").asString()),
                Optional.empty(),
                machines,
                scheduler(config.get("scheduler")),
                timing(config.get("predictor")),
                config.get("requests").get("max_tokens").asInt(),
                config.get("time_limit").asDouble(),
                VidurQuirk.VIDUR);
    }

    private static SchedulerSpec scheduler(LocatedJson from) {
        SchedulerSpec.Limits limits = new SchedulerSpec.Limits(
                from.get("batch_size_cap").asInt(),
                from.get("block_size").asInt(),
                from.get("watermark_blocks_fraction").asDouble(),
                from.find("num_blocks").map(LocatedJson::asLong).orElse(0L));
        String type = from.get("type").asString();
        return switch (type) {
            case "vllm" ->
                new SchedulerSpec.Vllm(limits, from.get("max_tokens_in_batch").asInt());
            case "sarathi" ->
                new SchedulerSpec.Sarathi(limits, from.get("chunk_size").asInt());
            case "orca" -> new SchedulerSpec.Orca(limits);
            case "faster_transformer" -> new SchedulerSpec.FasterTransformer(limits);
            case "lightllm" ->
                new SchedulerSpec.LightLlm(
                        limits,
                        from.get("max_tokens_in_batch").asInt(),
                        from.get("max_waiting_iters").asInt());
            default -> throw from.get("type").expected("a replica scheduler");
        };
    }

    private static TimingSpec timing(LocatedJson from) {
        return new TimingSpec(
                from.get("attention_decode_batching_overhead_fraction").asDouble(),
                from.get("attention_prefill_batching_overhead_fraction").asDouble(),
                from.get("nccl_cpu_launch_overhead_ms").asDouble(),
                from.get("nccl_cpu_skew_overhead_per_device_ms").asDouble(),
                !from.get("skip_cpu_overhead_modeling").asBool());
    }

    RequestTrace trace() throws IOException {
        LocatedJson requests = config.get("requests");
        return requests.get("type").asString().equals("synthetic") ? fixedAtOnce(requests) : replay(requests);
    }

    private static RequestTrace fixedAtOnce(LocatedJson requests) {
        LocatedJson args = requests.get("vidur_args");
        int n = args.get("synthetic_request_generator_config_num_requests").asInt();
        int[] prefill = new int[n];
        int[] decode = new int[n];
        Arrays.fill(
                prefill,
                args.get("fixed_request_length_generator_config_prefill_tokens").asInt());
        Arrays.fill(
                decode,
                args.get("fixed_request_length_generator_config_decode_tokens").asInt());
        return new RequestTrace(new double[n], prefill, decode);
    }

    /** Scales, lifts both lengths to 1, then cuts prompts so that no request is longer than max_tokens. */
    private RequestTrace replay(LocatedJson requests) throws IOException {
        GoldenTable file =
                GoldenTable.read(folder.resolve(requests.get("trace_file").asString()));
        double prefillScale = requests.get("prefill_scale_factor").asDouble();
        double decodeScale = requests.get("decode_scale_factor").asDouble();
        double timeScale = requests.get("time_scale_factor").asDouble();
        int max = requests.get("max_tokens").asInt();
        List<String[]> rows = file.rows();
        int n = rows.size();
        double[] arrival = new double[n];
        int[] prefill = new int[n];
        int[] decode = new int[n];
        int at = file.column("arrived_at");
        int p = file.column("num_prefill_tokens");
        int d = file.column("num_decode_tokens");
        for (int i = 0; i < n; i++) {
            String[] row = rows.get(i);
            arrival[i] = LegacyDecimal.parse(row[at]) * timeScale;
            decode[i] = Math.max(1, (int) (Double.parseDouble(row[d]) * decodeScale));
            int prompt = Math.max(1, (int) (Double.parseDouble(row[p]) * prefillScale));
            prefill[i] = prompt - Math.max(0, prompt + decode[i] - max);
        }
        return new RequestTrace(arrival, prefill, decode);
    }
}
