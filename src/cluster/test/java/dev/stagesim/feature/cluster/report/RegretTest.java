package dev.stagesim.feature.cluster.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.ClusterSimSettings;
import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.Decisions;
import dev.stagesim.feature.cluster.engine.Decisions.Decision;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.Regret.Alternatives;
import dev.stagesim.feature.cluster.report.Regret.Replay;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.PowerOfTwo;
import dev.stagesim.feature.cluster.router.PrefixRouter;
import dev.stagesim.feature.cluster.router.RandomChoice;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares replays of single routing decisions with separate simulations. */
final class RegretTest {
    private static final RouterSettings TURNS = new RoundRobin.Settings();
    private static final double FOREVER = 1e6;

    private static ServingClusterSettings both(int replicas, RouterSettings router) {
        return Clusters.cluster(
                Map.of("all", Clusters.pool(PoolRole.BOTH, replicas)),
                router,
                Optional.empty(),
                Clusters.transfer(1, 0));
    }

    private static ServingClusterSettings apart(RouterSettings router) {
        return Clusters.of(
                new TreeMap<>(Map.of("p", Clusters.pool(PoolRole.PREFILL, 2), "d", Clusters.pool(PoolRole.DECODE, 3))),
                router,
                Optional.of(router),
                Optional.empty(),
                Optional.of(Clusters.transfer(10, 50)));
    }

    /** A run with the decisions that it took. */
    private record Run(ClusterSimSettings settings, ClusterFigures figures, Decisions decisions) {
        static Run of(ServingClusterSettings cluster, RequestTrace trace, int replays, Alternatives alternative) {
            ClusterSimSettings plain = Clusters.settings(cluster);
            ClusterSimSettings settings = new ClusterSimSettings(
                    plain.model(),
                    plain.hardware(),
                    plain.workload(),
                    plain.arrival(),
                    plain.engines(),
                    cluster,
                    Optional.empty(),
                    Optional.of(new Regret.Settings(replays, alternative, FOREVER, 1)));
            List<PoolPlan> pools = PoolPlans.of(settings, 4096);
            Decisions decisions = new Decisions(trace.size());
            ClusterSim sim = new ClusterSim(cluster, pools, trace, decisions);
            sim.run();
            return new Run(settings, new ClusterFigures(sim, pools, trace, cluster), decisions);
        }

        Regret regret() {
            return new Regret(settings.regret().get(), settings.cluster(), figures, decisions, Optional.empty());
        }
    }

    private static List<ServingClusterSettings> clusters() {
        FailureSettings failing =
                new FailureSettings.Listed(new TreeMap<>(Map.of("a", new FailureSettings.Down(1, 4, 3))), 2);
        return List.of(
                both(3, TURNS),
                both(3, new RandomChoice.Settings(3)),
                both(3, new PowerOfTwo.Settings(3)),
                both(3, new PrefixRouter.Settings(2, 1, 16)),
                apart(KvCost.Settings.of(1, 16)),
                apart(new SessionHash.Settings(16)),
                Clusters.of(
                        apart(TURNS).pools(),
                        TURNS,
                        Optional.of(new PrefixRouter.Settings(2, 1, 16)),
                        Optional.of(new ServingClusterSettings.Split.Missing(300)),
                        Optional.of(Clusters.transfer(10, 50))),
                Clusters.with(both(3, TURNS), Optional.empty(), Optional.of(failing), Optional.empty()));
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void matchesTheRunWithoutAChange(ServingClusterSettings cluster) {
        RequestTrace trace = Clusters.requests(60, 8, 4, 5);
        Run run = Run.of(cluster, trace, 1, Alternatives.ALL);
        for (int number : new int[] {0, 17, run.decisions().all().size() - 1}) {
            Decision decision = run.decisions().all().get(number);
            RequestTimeline again = new ClusterSim(
                            cluster, run.figures().pools, trace, run.decisions().with(decision, poolRouter -> -1))
                    .runTo(FOREVER);
            assertThat(again.completed).isEqualTo(run.figures().timeline.completed);
            assertThat(again.firstToken).isEqualTo(run.figures().timeline.firstToken);
            assertThat(again.first).isEqualTo(run.figures().timeline.first);
            assertThat(again.second).isEqualTo(run.figures().timeline.second);
        }
    }

    /** Mixed instances do not affect each other, so each can be simulated alone with its requests. */
    @ParameterizedTest
    @MethodSource("routers")
    void matchesSeparateSimulationsOfTheInstances(RouterSettings router) {
        RequestTrace trace = Clusters.requests(40, 10, 4, 11);
        Run run = Run.of(both(3, router), trace, 30, Alternatives.ALL);
        List<Replay> replays = run.regret().replays;
        assertThat(replays).hasSize(30);
        double[] before = alone(run, run.figures().timeline.first);
        for (Replay replay : replays) {
            int[] changed = run.figures().timeline.first.clone();
            changed[replay.decision().request()] = replay.alternative();
            double[] after = alone(run, changed);
            int own = replay.decision().request();
            double all = IntStream.range(0, trace.size())
                    .mapToDouble(i -> after[i] - before[i])
                    .sum();
            assertThat(replay.own()).isEqualTo(after[own] - before[own], within(1e-9));
            assertThat(replay.own() + replay.others()).isEqualTo(all, within(1e-8));
            assertThat(replay.alternative()).isNotEqualTo(replay.decision().chosen());
        }
        assertThat(replays).anyMatch(one -> one.regret() > 0);
    }

    private static List<RouterSettings> routers() {
        return List.of(TURNS, new PrefixRouter.Settings(2, 1, 16), new LeastOutstanding.Settings());
    }

    /** Returns the completion time of each request if every instance runs alone. */
    private static double[] alone(Run run, int[] instances) {
        RequestTrace trace = run.figures().trace;
        double[] ends = new double[trace.size()];
        PoolPlan pool = run.figures().pools.get(0);
        for (int instance = 0; instance < 3; instance++) {
            int number = instance;
            int[] own = IntStream.range(0, trace.size())
                    .filter(i -> instances[i] == number)
                    .toArray();
            Tokens[] tokens = Arrays.stream(own).mapToObj(trace::tokens).toArray(Tokens[]::new);
            RequestTrace part = new RequestTrace(
                    Arrays.stream(own).mapToDouble(trace::arrivalSeconds).toArray(),
                    Arrays.stream(own).map(trace::prefillTokens).toArray(),
                    Arrays.stream(own).map(trace::decodeTokens).toArray(),
                    request -> tokens[request]);
            ServingOutcome outcome =
                    ServingSimulator.run(pool.spec(), part, pool.replica().times());
            for (int i = 0; i < own.length; i++) {
                ends[own[i]] = outcome.states().completedAt(i);
            }
        }
        return ends;
    }

    @Test
    void limitsReplaysAndDrawsThemBySeed() {
        RequestTrace trace = Clusters.requests(30, 10, 0, 3);
        Run some = Run.of(both(4, TURNS), trace, 10, Alternatives.ALL);
        assertThat(some.regret().replays).hasSize(9).isEqualTo(some.regret().replays);
        assertThat(some.regret().worst).hasSize(3);
        Run one = Run.of(both(4, TURNS), trace, 1, Alternatives.ALL);
        assertThat(one.regret().replays).as("all of one decision").hasSize(3);
        Run all = Run.of(both(4, TURNS), trace, 1000, Alternatives.RUNNER_UP);
        Regret regret = all.regret();
        assertThat(regret.replays).hasSize(30).allSatisfy(replay -> assertThat(replay.alternative())
                .isEqualTo((replay.decision().chosen() + 1) % 4));
        assertThat(regret.total())
                .isEqualTo(regret.replays.stream().mapToDouble(Replay::regret).sum(), within(1e-12));
        assertThat(regret.worst.get(0).regret()).isGreaterThanOrEqualTo(regret.quantile(0.99));
    }

    @Test
    void reportsNoRegretWhenTheAlternativeWasBusy() {
        // Round robin sends the last request to the idle instance and not to the one with the prompt before it.
        RequestTrace trace = new RequestTrace(
                new double[] {0, 0, 10, 10, 10.001}, new int[] {16, 16, 16, 2000, 2000}, new int[] {1, 1, 1, 1, 1});
        Regret regret =
                Run.of(both(2, TURNS), trace, 1000, Alternatives.RUNNER_UP).regret();
        Replay last = regret.replays.get(4);
        assertThat(last.regret()).isZero();
        assertThat(last.own()).isGreaterThan(0.02).isEqualTo(last.ttft(), within(1e-12));
        assertThat(regret.best()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void rejectsAClusterWithoutAlternatives() {
        Run run = Run.of(both(1, TURNS), Clusters.requests(5, 10, 0, 3), 10, Alternatives.RUNNER_UP);
        assertThatThrownBy(run::regret).hasMessageContaining("no decision had an alternative");
    }
}
