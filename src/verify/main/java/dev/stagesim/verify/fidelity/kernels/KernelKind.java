package dev.stagesim.verify.fidelity.kernels;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Kernels that are compared, with the columns that identify their tables. */
enum KernelKind {
    PRODUCT("m,n,k"),
    EXPERTS("top_k,moe_tp,moe_ep,routing,ffn"),
    DECODE("kv_heads,context"),
    PREFILL("kv_heads,chunk"),
    COLLECTIVE("gpus,elements,operation"),
    ALL_REDUCE("gpus,elements,implementation");

    private final String needed;

    KernelKind(String needed) {
        this.needed = needed;
    }

    /** Returns the kind of a table with these columns. */
    static Optional<KernelKind> of(Set<String> columns) {
        return Arrays.stream(values())
                .filter(kind -> columns.containsAll(List.of(kind.needed.split(",", -1))))
                .findFirst();
    }
}
