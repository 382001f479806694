package dev.stagesim.sim.trace.inspect;

/**
 * A defect of a trace or a set of traces.
 *
 * @param where file or files, as named by the user
 * @param what the defect, one sentence without a full stop
 */
public record TraceFinding(Rule rule, String where, String what) {
    /** Rules that a trace must satisfy. */
    public enum Rule {
        METADATA("metadata"),
        UNIQUE_IDS("unique_ids"),
        /** Every dependency refers to a node in the trace. */
        DEPENDENCIES("dependencies"),
        /** Dependencies have no cycle, and at least one node can start. */
        CYCLES("cycles"),
        /** The schema defines all node and collective types. */
        TYPES("types"),
        /** Communications have the attributes that a simulator requires. */
        ATTRIBUTES("attributes"),
        /** Ranks are numbered from 0 without gaps. */
        RANKS("ranks"),
        /** Every send has a matching receive. */
        TRANSFERS("transfers"),
        /** All processors of a group run the same collectives in the same order. */
        COLLECTIVES("collectives");

        private final String label;

        Rule(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }
}
