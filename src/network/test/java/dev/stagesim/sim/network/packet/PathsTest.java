package dev.stagesim.sim.network.packet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.congestion.Dcqcn;
import dev.stagesim.sim.network.packet.host.CnpScheduler;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PacketSpec.Compat;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopologies;
import dev.stagesim.sim.network.packet.topology.PacketTopologies.Tier;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PairMeans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Per-frame path selection, explicit paths, and ideal times on them. */
final class PathsTest {
    private static final SwitchSpec PLAIN = new SwitchSpec(32 << 20, 3, true, false, List.of());
    private static final PathSpec SPRAY = new PathSpec(0, true, false, List.of());

    /** Returns two leaves of two hosts under four spines. Spine cables have a quarter of the hosts' rate. */
    private static PacketRuns runs() {
        return new PacketRuns(PacketTopologies.leafSpine(
                4, 2, 4, 1, new Tier(400 * PacketRuns.GIGA, 500), new Tier(100 * PacketRuns.GIGA, 500)));
    }

    @Test
    void usesAllPathsWhenFramesAreSprayed() {
        long flow = runs().send(0, 2, 4_000_000).run()[0];
        PacketRuns spray = runs().along(SPRAY).send(0, 2, 4_000_000);
        assertThat(spray.run()[0]).isLessThan(flow / 2);
        assertThat(spray.network.totals().retransmissions()).isZero();
        assertThat(PacketCheck.problems(spray.spec, 4, "net")).isEmpty();
    }

    @Test
    void retransmitsLostSprayedFrames() {
        PacketRuns spray = runs().with(new CongestionSpec.None(), PLAIN, 0.002, Compat.NONE)
                .along(SPRAY)
                .send(0, 2, 1_000_000)
                .send(1, 3, 1_000_001);
        assertThat(spray.run()).doesNotContain(-1);
        assertThat(spray.network.totals().lost()).isPositive();
        assertThat(spray.network.totals().retransmissions()).isPositive();
    }

    @Test
    void followsExplicitRoute() {
        for (int spine = 6; spine < 10; spine++) {
            PacketRuns runs = runs().along(new PathSpec(0, false, false, List.of(List.of(0, 4, spine, 5, 2))))
                    .send(0, 2, 100_000);
            assertThat(PacketCheck.problems(runs.spec, 4, "net")).isEmpty();
            runs.run();
            List<Integer> used = new ArrayList<>();
            runs.network.ports(use -> {
                if (use.at().node() == 4 && use.at().peer() > 5 && use.bytes() > 50_000) {
                    used.add(use.at().peer());
                }
            });
            assertThat(used).containsExactly(spine);
        }
    }

    @Test
    void reportsImpossibleRoutes() {
        List<List<Integer>> wrong = List.of(
                List.of(0, 6, 5, 2), List.of(0, 4, 6, 5), List.of(0, 4, 1), List.of(0, 4, 99, 2), List.of(0, 4, 1));
        assertThat(PacketCheck.problems(runs().along(new PathSpec(0, false, false, wrong)).spec, 4, "net"))
                .extracting(Problem::render)
                .satisfiesExactly(
                        one -> assertThat(one).contains("net.routes").contains("no cable joins nodes 0 and 6"),
                        one -> assertThat(one).contains("node 5 at an end is a switch"),
                        one -> assertThat(one).contains("there is no node 99"),
                        one -> assertThat(one).contains("two paths from host 0 to 1"));
    }

    @Test
    void rejectsExtensionsInReferenceMode() {
        PathSpec paths = new PathSpec(0, true, false, List.of(List.of(0, 4, 1)));
        CongestionSpec held = KeyRecord.of(
                Dcqcn.Spec.class,
                Map.ofEntries(
                        entry("gain", 0.004),
                        entry("additive", 1e-6),
                        entry("hyper", 1e-6),
                        entry("minRateMbps", 1e-6),
                        entry("noticePeriod", 50),
                        entry("noticeDelay", 1)));
        PacketSpec spec = runs().with(held, PLAIN, 0, Compat.NS3).along(paths).spec;
        assertThat(PacketCheck.problems(spec, 4, "net"))
                .extracting(Problem::where)
                .containsExactly(
                        "net.spray", "net.routes", "net.congestion.notice_period", "net.congestion.notice_delay");
    }

    @Test
    void reportsNodesTracedTwice() {
        PacketSpec spec = runs().spec;
        PacketSpec twice = KeyRecord.with(
                PacketSpec.class, spec, Map.of("lossRate", 0, "traced", List.of(0, 1, 0), "compat", Compat.NONE));
        assertThat(PacketCheck.problems(twice, 4, "net"))
                .extracting(Problem::what)
                .singleElement()
                .satisfies(what -> assertThat(what).contains("node 0", "twice"));
    }

    @Test
    void rejectsSprayingOnSinglePaths() {
        assertThat(PacketCheck.problems(new PacketRuns(PacketRuns.star(3)).along(SPRAY).spec, 3, "net"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("net.spray"));
    }

    @Test
    void delaysAndLimitsNotifications() {
        CnpScheduler notices = new CnpScheduler(KeyRecord.of(
                Dcqcn.Spec.class,
                Map.ofEntries(
                        entry("alphaPeriod", 1),
                        entry("decreasePeriod", 1),
                        entry("increasePeriod", 1),
                        entry("gain", 0.004),
                        entry("additive", 1),
                        entry("hyper", 1),
                        entry("minRateMbps", 1),
                        entry("noticePeriod", 50),
                        entry("noticeDelay", 1))));
        notices.start(3);
        assertThat(notices.echo(3, true, 100)).isFalse();
        assertThat(notices.echo(3, false, 1099)).isFalse();
        assertThat(notices.echo(3, false, 1100)).isTrue();
        assertThat(notices.echo(3, true, 50_099)).isFalse();
        assertThat(notices.echo(3, false, 60_000)).isFalse();
        assertThat(notices.echo(3, true, 60_000)).isFalse();
        assertThat(notices.echo(3, false, 61_000)).isTrue();
        assertThat(new CnpScheduler(new CongestionSpec.None()).isDelaying()).isFalse();
    }

    @Test
    void reducesRateLessWhenNotificationsAreDelayed() {
        SwitchSpec marking = new SwitchSpec(
                32 << 20,
                3,
                true,
                true,
                List.of(new SwitchSpec.MarkThreshold(100 * PacketRuns.GIGA, 10_000, 40_000, 0.5)));
        List<Long> ends = new ArrayList<>();
        for (long period : new long[] {0, 200}) {
            PacketRuns runs = new PacketRuns(PacketRuns.star(9))
                    .with(
                            KeyRecord.of(
                                    Dcqcn.Spec.class,
                                    Map.ofEntries(
                                            entry("alphaPeriod", 1),
                                            entry("increasePeriod", 900),
                                            entry("gain", 0.004),
                                            entry("recoverySteps", 1),
                                            entry("noticePeriod", period))),
                            marking,
                            0,
                            Compat.NONE);
            for (int source = 0; source < 8; source++) {
                runs.send(source, 8, 600_000);
            }
            long[] received = runs.run();
            assertThat(received).doesNotContain(-1);
            ends.add(java.util.Arrays.stream(received).max().orElseThrow());
        }
        assertThat(ends.get(1)).isLessThan(ends.get(0));
    }

    @Test
    void averagesRatesOverPairsOfDimension() {
        PacketRuns rails = new PacketRuns(PacketTopologies.rails(
                8,
                4,
                2,
                new Tier(2400 * PacketRuns.GIGA, 100),
                new Tier(400 * PacketRuns.GIGA, 500),
                new Tier(400 * PacketRuns.GIGA, 500)));
        PairMeans inside = rails.network.pairMeans(1, 4);
        PairMeans along = rails.network.pairMeans(4, 2);
        assertThat(inside.rate()).isCloseTo(2.4e12, within(1.0));
        assertThat(along.rate()).isCloseTo(4e11, within(1.0));
        assertThat(along.latency()).isGreaterThan(inside.latency());
        assertThat(new PacketRuns(PacketTopologies.star(4, 2, new Tier(PacketRuns.GIGA, 1)))
                        .network
                        .pairMeans(1, 4)
                        .cards())
                .isEqualTo(2);
    }

    @Test
    void forwardsThroughHostsIfAllowed() {
        List<PacketTopology.Cable> cables = new ArrayList<>();
        for (int host = 0; host < 6; host++) {
            cables.add(new PacketTopology.Cable(host, (host + 1) % 6, 100 * PacketRuns.GIGA, 1000, 0));
        }
        PacketRuns runs = new PacketRuns(new PacketTopology(6, List.of(), cables))
                .along(new PathSpec(0, false, true, List.of()))
                .send(0, 2, 1000)
                .send(1, 4, 200_000)
                .send(5, 2, 200_000);
        assertThat(PacketCheck.problems(runs.spec, 6, "net")).isEmpty();
        assertThat(runs.run()).doesNotContain(-1);
        // Alone: two cables of 83 + 1000 ns forward and 4 + 1000 back.
        PacketRuns alone =
                new PacketRuns(runs.spec.topology()).along(runs.spec.paths()).send(0, 2, 1000);
        assertThat(alone.run()).containsExactly(2 * 1083 + 2 * 1004);
        assertThat(PacketCheck.problems(new PacketRuns(PacketRuns.star(3)).along(runs.spec.paths()).spec, 3, "net"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("net.forwarding"));
    }
}
