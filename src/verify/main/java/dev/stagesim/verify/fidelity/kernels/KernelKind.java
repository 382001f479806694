package dev.stagesim.verify.fidelity.kernels;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Kernels that are compared, with the columns that identify their tables, and the operations of AIConfigurator's rows. */
enum KernelKind {
    PRODUCT("m,n,k"),
    EXPERTS("top_k,moe_tp,moe_ep,routing,ffn"),
    DECODE("kv_heads,context", "generation_attention"),
    PREFILL("kv_heads,chunk", "context_attention"),
    LATENT_DECODE("", "mla_generation", "generation_mla"),
    LATENT_PREFILL("", "mla_context", "context_mla"),
    COLLECTIVE("gpus,elements,operation"),
    ALL_REDUCE("gpus,elements,implementation");

    /** Columns of AIConfigurator's tables of attention: new and cached tokens. */
    private static final Set<String> ATTENTION = Set.of("heads", "isl", "step", "operation");

    /** A column of tables of whole modules, which also contain products. */
    private static final String MODULE = "gemm_type";

    private final String needed;
    private final String operations;

    KernelKind(String needed, String... operations) {
        this.needed = needed;
        this.operations = String.join(",", operations);
    }

    private boolean has(String operation) {
        return !operation.isEmpty() && List.of(operations.split(",", -1)).contains(operation);
    }

    /**
     * Returns the kind of a row.
     *
     * @param columns of its table
     * @param operation its operation, empty if the table has no such column
     */
    static Optional<KernelKind> of(Set<String> columns, String operation) {
        boolean isAttention = columns.containsAll(ATTENTION);
        return Arrays.stream(values())
                .filter(kind -> isAttention
                        ? !columns.contains(MODULE) && kind.has(operation)
                        : !kind.needed.isEmpty() && columns.containsAll(List.of(kind.needed.split(",", -1))))
                .findFirst();
    }
}
