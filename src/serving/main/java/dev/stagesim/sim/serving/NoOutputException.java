package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;

/** A request that asks for no output arrived; ends the simulation. */
final class NoOutputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int request;

    NoOutputException(int request) {
        super("request " + request + " asks for no output token");
        this.request = request;
    }

    Problem problem() {
        return Problem.of("workload error", "request " + request, "asks for 0 output tokens; at least 1 is needed")
                .hint("the prompt's end always yields one token: give it num_decode_tokens >= 1, or drop the request");
    }
}
