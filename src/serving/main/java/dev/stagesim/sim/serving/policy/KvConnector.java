package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.CacheEvents;
import dev.stagesim.sim.serving.memory.CacheRetention;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A place outside the engine that keys and values come from or go to. */
public interface KvConnector {
    /** The answer "ask again later". */
    int LATER = -1;

    /** Whether it takes keys and values of finished requests. */
    boolean isProducer();

    /** Whether it delivers keys and values. */
    boolean isConsumer();

    /** Whether what could not be loaded is computed instead of ending the request. */
    boolean recomputes();

    /** A request is in the queue; {@code local} tells how many of its first tokens the cache has. */
    default void queued(LiveRequest request, IntSupplier local) {}

    /** Tokens behind the first {@code local} ones that it has, or {@link #LATER}. */
    int offer(LiveRequest request, int local);

    /** Whether it loads while other steps run. */
    boolean loadsAside(LiveRequest request);

    /** A request begins to load, or is admitted with what is loaded in its step. */
    void begin(LiveRequest request, int tokens);

    /** Whether it keeps the blocks of a request that ended until it says otherwise. */
    boolean keeps(LiveRequest request);

    /** What keeps blocks of the engine's own cache from giving way; null for nothing. */
    default @Nullable CacheRetention retention() {
        return null;
    }

    /** Who hears of the blocks of the engine's own cache; null for nobody. */
    default @Nullable CacheEvents events() {
        return null;
    }
}
