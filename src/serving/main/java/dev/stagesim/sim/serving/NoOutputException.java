package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;

/** Ends the simulation when a request arrives that requests no output. */
final class NoOutputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int request;

    NoOutputException(int request) {
        super("request " + request + " requests no output token");
        this.request = request;
    }

    Problem problem() {
        return Problem.of("workload error", "request " + request, "requests 0 output tokens; the minimum is 1")
                .hint("the prompt's end always yields one token: give it num_decode_tokens >= 1, or drop the request");
    }
}
