package dev.stagesim.verify.fidelity.kernels;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Kernels that are compared, with the columns that identify their tables, and the operations of AIConfigurator's rows. */
enum KernelKind {
    PRODUCT("m,n,k"),
    EXPERTS("top_k,moe_tp,moe_ep,routing,ffn"),
    DECODE("kv_heads,context", "generation_attention"),
    PREFILL("kv_heads,chunk", "context_attention"),
    LATENT_DECODE("", "mla_generation", "generation_mla"),
    LATENT_PREFILL("", "mla_context", "context_mla"),
    DECODE_MODULE("gemm_type", "mla_generation_module", "dsa_generation_module", "dsa_generation_module_skip_indexer"),
    PREFILL_MODULE("gemm_type", "mla_context_module", "dsa_context_module", "dsa_context_module_skip_indexer"),
    HEAD_PRODUCTS("bmm_dtype"),
    STATE("phase,d_conv"),
    DISPATCH("node_num,dispatch_us"),
    COMBINE("node_num,combine_us"),
    COLLECTIVE("gpus,elements,operation"),
    ALL_REDUCE("gpus,elements,implementation");

    /** Columns of AIConfigurator's tables of attention: new and cached tokens. */
    private static final Set<String> ATTENTION = Set.of("heads", "isl", "step", "operation");

    /** A column of tables of whole modules, which also contain products. */
    private static final String MODULE = "gemm_type";

    /** Kinds with tables of several versions of an engine. Some older rows contain launches. */
    private static final Set<KernelKind> NEWEST_ONLY =
            EnumSet.of(DECODE_MODULE, PREFILL_MODULE, HEAD_PRODUCTS, STATE, DISPATCH, COMBINE);

    private final String needed;
    private final String operations;

    KernelKind(String needed, String... operations) {
        this.needed = needed;
        this.operations = String.join(",", operations);
    }

    private boolean has(String operation) {
        return !operation.isEmpty() && List.of(operations.split(",", -1)).contains(operation);
    }

    /** True if only rows of the newest version of an engine on a device are compared. */
    boolean isNewestOnly() {
        return NEWEST_ONLY.contains(this);
    }

    /**
     * Returns the kinds of a row, which has several times if it contains several kernels.
     *
     * @param columns of its table
     * @param operation its operation, empty if the table has no such column
     */
    static List<KernelKind> of(Set<String> columns, String operation) {
        boolean isAttention = columns.containsAll(ATTENTION);
        Stream<KernelKind> kinds = Arrays.stream(values())
                .filter(kind -> isAttention
                        ? columns.contains(MODULE) == kind.needed.equals(MODULE) && kind.has(operation)
                        : !kind.needed.isEmpty() && columns.containsAll(List.of(kind.needed.split(",", -1))));
        return (columns.contains("combine_us") ? kinds : kinds.limit(1)).toList();
    }
}
