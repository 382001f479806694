package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A store outside the engine that sends or receives KV caches. */
public interface KvConnector {
    /** Result of {@link #offer} that requests another call later. */
    int LATER = -1;

    /** Returns true if it receives the KV cache of finished requests. */
    boolean isProducer();

    /** Returns true if it sends KV caches. */
    boolean isConsumer();

    /** Returns true if tokens that failed to load are recomputed; otherwise, the request fails. */
    boolean recomputes();

    /** A request was queued; {@code local} returns the number of its leading tokens in the local cache. */
    default void queued(LiveRequest request, IntSupplier local) {}

    /** Returns the number of tokens after the first {@code local} ones that it has, or {@link #LATER}. */
    int offer(LiveRequest request, int local);

    /** Returns true if it loads asynchronously while other steps run. */
    boolean loadsAsync(LiveRequest request);

    /** A request starts to load, or is admitted and loads in its step. */
    void begin(LiveRequest request, int tokens);

    /** Returns true if it keeps the blocks of a finished request until it releases them. */
    boolean keeps(LiveRequest request);

    /** Returns the transfers of an SGLang engine, or null if it has none. */
    default @Nullable SglangConnector sglang() {
        return null;
    }

    /** Returns the retention policy of the local cache, or null if it has none. */
    default @Nullable CacheRetention retention() {
        return null;
    }

    /** Returns the listener for changes of the local cache, or null if there is no listener. */
    default @Nullable CacheEvents events() {
        return null;
    }
}
