package dev.stagesim.sim.trace.inspect;

/**
 * Something that is wrong with a trace or a set of traces.
 *
 * @param where file, or files, as the user would name them
 * @param what what was found, one sentence without a full stop
 */
public record Finding(Rule rule, String where, String what) {
    /** What ought to hold. */
    public enum Rule {
        METADATA("metadata"),
        UNIQUE_IDS("unique_ids"),
        /** Every dependency is on a node of the trace. */
        DEPENDENCIES("dependencies"),
        /** Dependencies do not go round, and something can begin. */
        CYCLES("cycles"),
        /** Types and collectives are named by the schema. */
        TYPES("types"),
        /** Communications have what a simulator needs of them. */
        ATTRIBUTES("attributes"),
        /** Ranks count from 0 without gaps. */
        RANKS("ranks"),
        /** Every send has its receive. */
        TRANSFERS("transfers"),
        /** Processors of a group do the same collectives in the same order. */
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
