package dev.stagesim.contract;

import java.util.List;
import java.util.stream.Collectors;

/** Tables of a profiling bundle. Column names and units follow Vidur's files; times are in milliseconds. */
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
    static final List<String> ATTENTION_OPERATORS =
            List.of("attn_input_reshape", "attn_kv_cache_save", "attn_prefill", "attn_decode", "attn_output_reshape");

    /** Steps of the host in {@code cpu_overheads.csv} in column order. */
    public static final List<String> HOST_STEPS =
            List.of("schedule", "sampler_e2e", "prepare_inputs_e2e", "process_model_outputs");

    /** Predictors with a reported quality. */
    static final List<String> PREDICTORS = List.of("interpolation", "random_forest", "linear_regression");

    public static final TableSchema MLP = table(
            "mlp.csv 1 | Operators whose time depends on the tokens of a batch.",
            statistics("time_stats.", ".", MLP_OPERATORS),
            """
            n_head | int 0.. | Query heads.
            n_kv_head | int 0.. | Key and value heads.
            n_embd | int 0.. | Width of the residual stream.
            n_expanded_embd | int 0.. | Inner width of a dense feed-forward layer.
            vocab_size | int tokens 0.. | Vocabulary.
            use_gated_mlp | bool | Whether the feed-forward layer has a gate.
            num_tokens | int tokens 0.. | Tokens of the batch.
            num_tensor_parallel_workers | int devices 0.. | Devices that share a layer.
            [head_dim] | int 0.. | Width of a query head; not in Vidur's files.
            """);
    public static final TableSchema ATTENTION = table(
            "attention.csv 1 | Attention of prefill chunks and decode batches.",
            statistics("time_stats.", ".", ATTENTION_OPERATORS),
            """
            n_embd | int 0.. | Width of the residual stream.
            n_q_head | int 0.. | Query heads.
            n_kv_head | int 0.. | Key and value heads.
            block_size | int tokens 0.. | KV-cache block.
            num_tensor_parallel_workers | int devices 0.. | Devices that share a layer.
            max_model_len | int tokens 0.. | Maximum context length.
            batch_size | int requests 0.. | Requests of the batch.
            prefill_chunk_size | int tokens 0.. | Tokens of the chunk; 0 for decode.
            kv_cache_size | int tokens 0.. | Tokens already cached per request.
            is_prefill | bool | Whether the row is a prefill chunk.
            attention_backend | text | Implementation of the attention.
            [head_dim] | int 0.. | Width of a query head; not in Vidur's files.
            """);
    public static final TableSchema ALL_REDUCE =
            network("all_reduce.csv 1 | Sum over the devices that share a layer.", "all_reduce");
    public static final TableSchema SEND_RECV =
            network("send_recv.csv 1 | Transfer from one pipeline stage to the next.", "send_recv");
    public static final TableSchema CPU_OVERHEADS = table(
            """
            cpu_overheads.csv 1 | Time of the host per iteration.
            model_name | text | Model.
            batch_size | int requests 0.. | Requests of the batch.
            tensor_parallel_degree | int devices 0.. | Devices that share a layer.""",
            statistics("", "_", HOST_STEPS),
            "ray_comm_time_mean | real ms 0.. | Transfer of work to the device processes.");
    public static final TableSchema REQUEST_OVERHEADS = TableSchema.of(
            """
            request_overheads.csv 1 | Time of the host per request; not in Vidur's layout.
            model_name | text | Model.
            tensor_parallel_degree | int devices 0.. | Devices that share a layer.
            request_ms | real ms 0.. | From the arrival of a request until it can be scheduled.
            """);
    public static final TableSchema PREDICTION_QUALITY = TableSchema.of(
            """
            prediction_quality.csv 1 | Errors of predictors on held-out sizes, in five folds by size.
            num_tensor_parallel_workers | int devices 0.. | Devices that share a layer.
            operator | text | Operator.
            predictor | text PREDICTORS | Predictor.
            mean_error_percent | real % 0.. | Mean absolute percentage error.
            median_error_percent | real % 0.. | Median absolute percentage error.
            rows | int 0.. | Rows predicted.
            """
                    .replace("PREDICTORS", String.join("/", PREDICTORS)));

    public static final List<TableSchema> ALL =
            List.of(MLP, ATTENTION, ALL_REDUCE, SEND_RECV, CPU_OVERHEADS, REQUEST_OVERHEADS, PREDICTION_QUALITY);

    private BundleTables() {}

    private static TableSchema table(String... parts) {
        return TableSchema.of(String.join("\n", parts));
    }

    private static TableSchema network(String head, String collective) {
        return table(
                head,
                statistics("time_stats.", ".", List.of(collective)),
                """
                rank | int 0.. | Measuring device.
                num_workers | int devices 0.. | Number of devices.
                size | int B 0.. | Bytes per device.
                collective | text | Kind of transfer.
                devices_per_node | int devices 0.. | Participating devices per node.
                max_devices_per_node | int devices 0.. | Devices per node.
                """);
    }

    private static String statistics(String before, String after, List<String> operators) {
        return operators.stream()
                .map(name ->
                        """
                        BASEmin | real ms 0.. | Minimum time of NAME.
                        BASEmax | real ms 0.. | Maximum time of NAME.
                        BASEmean | real ms 0.. | Mean time of NAME.
                        BASEmedian | real ms 0.. | Median time of NAME.
                        BASEstd | real ms 0.. | Standard deviation of NAME."""
                                .replace("BASE", before + name + after)
                                .replace("NAME", name))
                .collect(Collectors.joining("\n"));
    }
}
