package dev.stagesim.contract;

import java.util.ArrayList;
import java.util.List;

/** Tables of a profiling bundle; column names and units are those of Vidur's files, times are milliseconds. */
public final class BundleTables {
    /** Operators of {@code mlp.csv} in column order. */
    public static final List<String> MLP_OPERATORS = List.of(
            "emb",
            "input_layernorm",
            "attn_pre_proj",
            "attn_rope",
            "attn_post_proj",
            "post_attention_layernorm",
            "mlp_up_proj",
            "mlp_act",
            "mlp_down_proj",
            "add");

    /** Operators of {@code attention.csv} in column order. */
    public static final List<String> ATTENTION_OPERATORS =
            List.of("attn_input_reshape", "attn_kv_cache_save", "attn_prefill", "attn_decode", "attn_output_reshape");

    /** Steps of the host in {@code cpu_overheads.csv} in column order. */
    public static final List<String> HOST_STEPS =
            List.of("schedule", "sampler_e2e", "prepare_inputs_e2e", "process_model_outputs");

    public static final TableSchema MLP =
            table("mlp.csv", "Operators whose time depends on the tokens of a batch.", mlp());

    public static final TableSchema ATTENTION =
            table("attention.csv", "Attention of prefill chunks and decode batches.", attention());

    public static final TableSchema ALL_REDUCE =
            table("all_reduce.csv", "Sum over the devices that share a layer.", network("all_reduce"));

    public static final TableSchema SEND_RECV =
            table("send_recv.csv", "Transfer from one pipeline stage to the next.", network("send_recv"));

    public static final TableSchema CPU_OVERHEADS =
            table("cpu_overheads.csv", "Time of the host per iteration.", host());

    public static final TableSchema REQUEST_OVERHEADS = table(
            "request_overheads.csv",
            "Time of the host per request; not in Vidur's layout.",
            List.of(
                    Column.string("model_name", "Model."),
                    count("tensor_parallel_degree", "devices", "Devices that share a layer."),
                    time("request_ms", "From the arrival of a request until it can be scheduled.")));

    /** Predictors whose quality is reported. */
    public static final List<String> PREDICTORS = List.of("interpolation", "random_forest", "linear_regression");

    public static final TableSchema PREDICTION_QUALITY =
            table("prediction_quality.csv", "Errors of predictors on sizes left out, five folds by size.", quality());

    public static final List<TableSchema> ALL =
            List.of(MLP, ATTENTION, ALL_REDUCE, SEND_RECV, CPU_OVERHEADS, REQUEST_OVERHEADS, PREDICTION_QUALITY);

    private BundleTables() {}

    private static TableSchema table(String name, String doc, List<Column> columns) {
        return new TableSchema(name, 1, doc, columns, List.of());
    }

    private static List<Column> mlp() {
        List<Column> columns = new ArrayList<>();
        MLP_OPERATORS.forEach(operator -> columns.addAll(statistics("time_stats." + operator + ".", operator)));
        columns.add(count("n_head", "", "Query heads."));
        columns.add(count("n_kv_head", "", "Key and value heads."));
        columns.add(count("n_embd", "", "Width of the residual stream."));
        columns.add(count("n_expanded_embd", "", "Inner width of a dense feed-forward layer."));
        columns.add(count("vocab_size", "tokens", "Vocabulary."));
        columns.add(Column.bool("use_gated_mlp", "Whether the feed-forward layer has a gate."));
        columns.add(count("num_tokens", "tokens", "Tokens of the batch."));
        columns.add(count("num_tensor_parallel_workers", "devices", "Devices that share a layer."));
        columns.add(count("head_dim", "", "Width of a query head; not in Vidur's files.")
                .optional());
        return columns;
    }

    private static List<Column> attention() {
        List<Column> columns = new ArrayList<>();
        ATTENTION_OPERATORS.forEach(operator -> columns.addAll(statistics("time_stats." + operator + ".", operator)));
        columns.add(count("n_embd", "", "Width of the residual stream."));
        columns.add(count("n_q_head", "", "Query heads."));
        columns.add(count("n_kv_head", "", "Key and value heads."));
        columns.add(count("block_size", "tokens", "KV-cache block."));
        columns.add(count("num_tensor_parallel_workers", "devices", "Devices that share a layer."));
        columns.add(count("max_model_len", "tokens", "Longest context."));
        columns.add(count("batch_size", "requests", "Requests of the batch."));
        columns.add(count("prefill_chunk_size", "tokens", "Tokens of the chunk; 0 for decode."));
        columns.add(count("kv_cache_size", "tokens", "Tokens already cached per request."));
        columns.add(Column.bool("is_prefill", "Whether the row is a prefill chunk."));
        columns.add(Column.string("attention_backend", "What computed the attention."));
        columns.add(count("head_dim", "", "Width of a query head; not in Vidur's files.")
                .optional());
        return columns;
    }

    private static List<Column> network(String collective) {
        List<Column> columns = new ArrayList<>(statistics("time_stats." + collective + ".", collective));
        columns.add(count("rank", "", "Device that measured."));
        columns.add(count("num_workers", "devices", "Devices that take part."));
        columns.add(count("size", "B", "Bytes per device."));
        columns.add(Column.string("collective", "Kind of transfer."));
        columns.add(count("devices_per_node", "devices", "Devices of one node that take part."));
        columns.add(count("max_devices_per_node", "devices", "Devices of a node."));
        return columns;
    }

    private static List<Column> host() {
        List<Column> columns = new ArrayList<>();
        columns.add(Column.string("model_name", "Model."));
        columns.add(count("batch_size", "requests", "Requests of the batch."));
        columns.add(count("tensor_parallel_degree", "devices", "Devices that share a layer."));
        HOST_STEPS.forEach(step -> columns.addAll(statistics(step + "_", step)));
        columns.add(time("ray_comm_time_mean", "Passing work to the devices' processes."));
        return columns;
    }

    private static List<Column> quality() {
        return List.of(
                count("num_tensor_parallel_workers", "devices", "Devices that share a layer."),
                Column.string("operator", "Operator."),
                Column.string("predictor", "Predictor that was judged.").oneOf(PREDICTORS),
                Column.float64("mean_error_percent", "%", "Mean absolute percentage error.")
                        .atLeast(0),
                Column.float64("median_error_percent", "%", "Median absolute percentage error.")
                        .atLeast(0),
                count("rows", "", "Rows predicted."));
    }

    private static List<Column> statistics(String prefix, String what) {
        return List.of(
                time(prefix + "min", "Least time of " + what + "."),
                time(prefix + "max", "Greatest time of " + what + "."),
                time(prefix + "mean", "Mean time of " + what + "."),
                time(prefix + "median", "Median time of " + what + "."),
                time(prefix + "std", "Standard deviation of " + what + "."));
    }

    private static Column time(String name, String doc) {
        return Column.float64(name, "ms", doc).atLeast(0);
    }

    private static Column count(String name, String unit, String doc) {
        return Column.int64(name, unit, doc).atLeast(0);
    }
}
