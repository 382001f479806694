package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.request.Tokens;
import org.jspecify.annotations.Nullable;

/** A request that SGLang's scheduler knows: how far it is, and what it holds. */
public final class SglangRequest {
    final int index;
    final Tokens tokens;
    final int prompt;
    final int maxOutput;

    /** Output tokens that it asks for; it ends before where its output is shorter. */
    final int maxNew;

    /** Output tokens of steps that have ended. */
    int output;

    /** Tokens that have a slot once every planned step is done. */
    int allocated;

    /** Those of them, whole pages, whose slots are the cache's. */
    int cached;

    /** Last node of the cache that it locks. */
    RadixTree.@Nullable Node node;

    /** Cached tokens of its prompt when it came in for the first time; -1 before. */
    int hit = -1;

    int inFlight;

    /** Whether its prompt is done and a decode of it has been planned by itself. */
    boolean isDecoding;

    /** Those it decodes in step with, from step {@link #joined} to {@link #last}; its counts are those of before. */
    @Nullable
    SglangInStep group;

    long joined;
    long last;

    /** Place among the running ones when they were looked through last. */
    int place;

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

    /** Output tokens of steps that have ended, also of those in step. */
    int output() {
        return group == null ? output : output + (int) Math.max(0, group.done() + 1 - joined);
    }

    /** Tokens of prompt and output. */
    public int known() {
        return prompt + output;
    }

    /** Cached tokens of its prompt when it came in. */
    public int hit() {
        return hit;
    }

    /** Steps with it that have not ended. */
    public int inFlight() {
        return inFlight;
    }

    public boolean isFinished() {
        return isFinished;
    }

    /** The first {@code length} tokens as the cache looks them up. */
    RadixTree.Key key(int length) {
        return new RadixTree.Key(tokens, length, null);
    }
}
