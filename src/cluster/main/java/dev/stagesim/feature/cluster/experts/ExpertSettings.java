package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Key;
import java.util.Optional;

/** The section {@code cluster.pools.NAME.experts}. */
public record ExpertSettings(
        @Key("Instances that share the routed experts. Each device stores complete experts, and"
                        + " tokens are sent to the devices of their experts. | 1 | 1..4096")
                int instances,
        @Key("Redundant expert replicas per layer. | 0 | 0..100000") int redundant,
        @Key("Load of each expert. | { kind = zipf }") ExpertLoad load,
        @Key("Placement of experts on devices. | { kind = in_order }") ExpertPlacement placement,
        @Key("Rebalancing during the run, based on the loads since the last placement; null to disable it. |" + " null")
                Optional<Rebalancing> rebalancing,
        @Key("Run all instances in lockstep, like engines with data-parallel attention: the slowest"
                        + " instance determines the step time, and idle instances run dummy steps. | false")
                boolean lockstep) {
    /** The section {@code rebalancing}. */
    public record Rebalancing(
            @Key("Interval between placements. | 60 | s | 0.1..1000000000") double intervalS,
            @Key("Pause the instances while weights move. Otherwise they keep the old placement until the"
                            + " transfer is complete. | true")
                    boolean stall) {}
}
