package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.request.Tokens;
import org.jspecify.annotations.Nullable;

/** The state of a request in SGLang's scheduler: its progress and its memory. */
public final class SglangRequest implements KvRequest {
    final int index;
    final Tokens tokens;
    final int prompt;
    final int maxOutput;

    /** Maximum output tokens of the request; its actual output may be shorter. */
    final int maxNew;

    /** Output tokens of steps that have ended. */
    int output;

    /** Tokens with a slot after all planned steps. */
    int allocated;

    /** Leading tokens, in whole pages, with slots that the cache owns. */
    int cached;

    /** Leading tokens that the request has added to the cache. */
    int inserted;

    /** Last node of the cache that the request locks. */
    RadixTree.@Nullable Node node;

    /** Cached tokens of its prompt at its first admission, or -1 before. */
    int hit = -1;

    int inFlight;

    /** Whether its prompt is computed and it has been planned individually as a decode. */
    boolean isDecoding;

    /** The lockstep group from step {@link #joined} to {@link #last}. Meanwhile, the request's own counters stay unchanged. */
    @Nullable
    SglangLockstep group;

    long joined;
    long last;

    /** Position among the running requests at the last traversal. */
    int place;

    /** Tokens that the engine had computed when the request entered the queue. */
    long processedBefore;

    /** Order of its last entry into the queue. */
    long entered;

    /** Tokens to compute when the queue was last sorted by the cache. */
    int work;

    /** Whether a prefill engine has a buffer for the results of the request. */
    boolean hasBuffer;

    boolean isRetracted;
    boolean isFinished;

    SglangRequest(int index, Tokens tokens, int prompt, int maxOutput, int maxNew) {
        this.index = index;
        this.tokens = tokens;
        this.prompt = prompt;
        this.maxOutput = maxOutput;
        this.maxNew = maxNew;
    }

    public int index() {
        return index;
    }

    @Override
    public int number() {
        return index;
    }

    /** Returns the output tokens of steps that have ended, including lockstep steps. */
    int output() {
        return group == null ? output : output + (int) Math.max(0, group.done() + 1 - joined);
    }

    /** Returns the tokens of prompt and output. */
    public int known() {
        return prompt + output;
    }

    /** Returns the cached tokens of its prompt at admission. */
    public int hit() {
        return hit;
    }

    /** Returns the number of its steps that have not ended. */
    public int inFlight() {
        return inFlight;
    }

    public boolean isFinished() {
        return isFinished;
    }

    /** Returns the cache key of the first {@code length} tokens. */
    RadixTree.Key key(int length) {
        return new RadixTree.Key(tokens, length, null);
    }
}
