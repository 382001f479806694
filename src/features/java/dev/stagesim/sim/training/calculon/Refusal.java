package dev.stagesim.sim.training.calculon;

/** Why an execution cannot run. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** A limit that a user may not see coming: networks, memory, interleaving; a search goes on. */
        INFEASIBLE,
        /** An input that makes no sense; a search ends. */
        REJECTED
    }

    private final Kind kind;

    private Refusal(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    static Refusal infeasible(String message) {
        return new Refusal(Kind.INFEASIBLE, message);
    }

    public static Refusal rejected(String message) {
        return new Refusal(Kind.REJECTED, message);
    }

    /** Rejects with {@code message} unless {@code holds}. */
    static void unless(boolean holds, String message) {
        if (!holds) {
            throw rejected(message);
        }
    }
}
