package dev.stagesim.feature.cluster.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** LoRA adapters in the slots of instances, and a router that follows them. */
final class AdapterTest {
    private static RequestTrace requests(int size, double perSecond, int adapters) {
        return Clusters.requests(size, perSecond, 4, 9).labelled(request -> request * 7 % (adapters + 1), request -> 0);
    }

    private static ServingClusterSettings cluster(int replicas, int slots, RouterSettings router) {
        Pool pool = Clusters.adapted(Clusters.pool(PoolRole.BOTH, replicas), slots);
        return Clusters.cluster(Map.of("all", pool), router, Optional.empty(), Clusters.transfer(1, 0));
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "2, 5", "8, 5"})
    void matchesTheEngineWithOneInstance(int slots, int adapters) {
        RequestTrace trace = requests(150, 4, adapters);
        ClusterFigures figures = Clusters.run(cluster(1, slots, new RoundRobin.Settings()), trace);
        PoolPlan pool = figures.pools.get(0);
        ServingOutcome alone =
                ServingSimulator.run(pool.spec(), trace, pool.replica().times());
        RequestStates states = alone.states();
        for (int i = 0; i < trace.size(); i++) {
            assertThat(figures.timeline.completed[i]).as("end of %d", i).isEqualTo(states.completedAt(i));
        }
        long loads = alone.engine().orElseThrow().adapterLoads();
        assertThat(figures.instances.get(0).adapterLoads()).isEqualTo(loads).isGreaterThanOrEqualTo(adapters);
        assertThat(figures.all()).containsEntry("adapter_loads", (double) loads);
    }

    @Test
    void routesRequestsToTheInstanceWithTheAdapter() {
        RequestTrace trace = requests(400, 20, 12);
        ClusterFigures turns = Clusters.run(cluster(4, 4, new RoundRobin.Settings()), trace);
        ClusterFigures kept = Clusters.run(cluster(4, 4, new AdapterAffinity.Settings(8)), trace);
        double min = 12;
        assertThat(kept.all().get("adapter_loads"))
                .isGreaterThanOrEqualTo(min)
                .isLessThan(turns.all().get("adapter_loads") / 2);
    }

    @Test
    void reducesTheCacheByTheSlots() {
        long with = Clusters.run(cluster(1, 16, new RoundRobin.Settings()), requests(3, 1, 1))
                .pools
                .get(0)
                .kvTokens();
        long without = Clusters.run(
                        Clusters.cluster(
                                Map.of("all", Clusters.pool(PoolRole.BOTH, 1)),
                                new RoundRobin.Settings(),
                                Optional.empty(),
                                Clusters.transfer(1, 0)),
                        Clusters.requests(3, 1, 0, 9))
                .pools
                .get(0)
                .kvTokens();
        // 16 slots of rank 16: 32 layers of 4 projections and 3 matrices at two bytes per value, against 131,072 bytes
        // per token.
        double values = 32 * (3 * 4096 + 4096 + 2 * 1024 + 4096 + 4096 + 3 * (4096 + 14336.0));
        assertThat((double) (without - with)).isEqualTo(16 * 16 * values * 2 / 131_072, within(17.0));
    }

    /** Compares the router with a scan of all instances. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void matchesAScanOfAllInstances(int spread) {
        int size = 6;
        int[] slots = {1, 2, 3, 2, 1, 2};
        RequestTrace trace = requests(2000, 100, 9);
        RoutingGroup group = RoutingGroups.of(PoolRole.BOTH, new Prompts(trace), new long[size], slots);
        Router router = new AdapterAffinity.Settings(spread).over(group);
        RandomStream random = RandomStream.of(spread, "adapters");
        int[] loads = new int[size];
        List<List<Integer>> held = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            held.add(new ArrayList<>());
        }
        List<int[]> running = new ArrayList<>();
        for (int request = 0; request < trace.size(); request++) {
            if (request % 97 == 50) {
                int instance = (int) random.below(size);
                group.members().close(instance);
                router.closed(instance);
            } else if (request % 97 == 90) {
                for (int i = 0; i < size; i++) {
                    if (!group.members().isOpen(i)) {
                        group.members().open(i);
                        router.opened(i);
                        held.get(i).clear();
                    }
                }
            }
            int adapter = trace.adapter(request);
            int min = -1;
            int having = -1;
            for (int i = 0; i < size; i++) {
                if (group.members().isOpen(i)) {
                    min = min < 0 || loads[i] < loads[min] ? i : min;
                    boolean hasIt = held.get(i).contains(adapter);
                    having = hasIt && (having < 0 || loads[i] < loads[having]) ? i : having;
                }
            }
            int expected = having >= 0 && loads[having] <= loads[min] + spread ? having : min;
            int chosen = router.choose(request, true);
            assertThat(chosen).as("request %d", request).isEqualTo(expected);
            router.sent(request, chosen, true);
            loads[chosen]++;
            running.add(new int[] {request, chosen});
            if (adapter > 0) {
                held.get(chosen).remove((Integer) adapter);
                held.get(chosen).add(adapter);
                if (held.get(chosen).size() > slots[chosen]) {
                    held.get(chosen).remove(0);
                }
            }
            if (running.size() > 20) {
                int[] done = running.remove((int) random.below(running.size()));
                router.done(done[0], done[1], true);
                loads[done[1]]--;
            }
        }
    }

    @Test
    void computesCarbonFromTheEnergy() {
        ServingClusterSettings plain = cluster(2, 4, new RoundRobin.Settings());
        ServingClusterSettings green =
                KeyRecord.with(ServingClusterSettings.class, plain, Map.of("carbonGPerKwh", Optional.of(400.0)));
        Map<String, Double> all = Clusters.run(green, requests(50, 4, 3)).all();
        assertThat(all.get("all_carbon_kg")).isEqualTo(all.get("all_kwh") * 0.4, within(1e-12));
        assertThat(Clusters.run(plain, requests(5, 4, 3)).all()).doesNotContainKey("all_carbon_kg");
    }
}
