package dev.stagesim.sim.serving;

import static java.util.Map.entry;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.sim.serving.settings.SglangSettings;
import java.util.Map;

/** Creates settings of SGLang from defaults. Tests state only the values that differ. */
public final class SglangFixtures {
    private static final SglangSettings DEFAULTS = KeyRecord.of(
            SglangSettings.class,
            Map.ofEntries(
                    entry("chunkedPrefillSize", 100),
                    entry("maxPrefillTokens", 16384),
                    entry("pageSize", 1),
                    entry("order", SchedulePolicy.FCFS),
                    entry("conservativeness", 1),
                    entry("radixCache", true),
                    entry("eviction", RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, SglangRules.NEWEST)),
                    entry("mixedChunk", false),
                    entry("overlap", false),
                    entry("maxNewTokens", 0)));

    private SglangFixtures() {}

    public static SglangSettings settings(Map<String, ?> changes) {
        return KeyRecord.with(SglangSettings.class, DEFAULTS, changes);
    }
}
