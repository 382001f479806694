package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.sim.kernels.StateKernels;
import java.util.Optional;

/** The time of a kernel of linear attention or of Mamba-2. */
record StatePrediction(KernelTable.Row row, StateKernels kernels) {
    Optional<String> whyUnlike() {
        return row.text("phase").equals("verify")
                ? Optional.of("verification of drafts by a recurrent layer")
                : Optional.empty();
    }

    double micros() {
        boolean isPrompt = row.text("phase").equals("context");
        double batch = row.number("batch");
        double tokens = row.number("seq_len");
        if (!row.implementation().contains("conv1d")) {
            return isPrompt ? kernels.scan(batch, tokens, heads(), scan()) : kernels.step(batch, heads());
        }
        int launches = row.implementation().endsWith("qkv3") ? 3 : 1;
        double channels = channels() / launches;
        return launches
                * (isPrompt ? kernels.convolution(batch, tokens, channels) : kernels.convolutionStep(batch, channels));
    }

    private boolean isStateSpace() {
        return row.has("d_state");
    }

    private double channels() {
        return isStateSpace()
                ? row.number("nheads") * row.number("head_dim") + 2 * row.number("n_groups") * row.number("d_state")
                : 2 * row.number("num_k_heads") * row.number("head_k_dim")
                        + row.number("num_v_heads") * row.number("head_v_dim");
    }

    private double heads() {
        double values = isStateSpace()
                ? row.number("nheads") * row.number("head_dim") * row.number("d_state")
                : row.number("num_v_heads") * row.number("head_v_dim") * row.number("head_k_dim");
        return values / StateKernels.HEAD_VALUES;
    }

    private StateKernels.Scan scan() {
        String kernel = row.implementation();
        if (isStateSpace()) {
            return StateKernels.Scan.STATE_SPACE;
        }
        if (kernel.contains("kda")) {
            return kernel.startsWith("flash") ? StateKernels.Scan.FUSED_CHANNEL_GATED : StateKernels.Scan.CHANNEL_GATED;
        }
        return kernel.endsWith("flashinfer") ? kernels.fusedScan() : StateKernels.Scan.GATED_DELTA;
    }
}
