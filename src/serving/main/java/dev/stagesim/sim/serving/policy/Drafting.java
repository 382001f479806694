package dev.stagesim.sim.serving.policy;

/** How many drafts are made, and how many turn out right. */
public interface Drafting {
    /** Right ones among the first {@code verified} drafts of a request whose output is known up to now. */
    int accepted(LiveRequest request, int verified);

    /** Drafts for the step after one that brought the output to {@code output} tokens, at most {@code most}. */
    int proposed(LiveRequest request, int output, int most);

    /** No draft is ever right. */
    Drafting NONE = new Drafting() {
        @Override
        public int accepted(LiveRequest request, int verified) {
            return 0;
        }

        @Override
        public int proposed(LiveRequest request, int output, int most) {
            return most;
        }
    };
}
