package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.PacketSettings;
import dev.stagesim.sim.network.packet.PacketSpec;
import dev.stagesim.sim.network.packet.PacketTopology;
import dev.stagesim.sim.network.packet.PathSpec;
import dev.stagesim.sim.network.packet.SwitchSpec;
import dev.stagesim.sim.network.packet.SwitchSpec.MarkThreshold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the keys of the section {@code network.packet} into a network on a topology. */
final class PacketKeys {
    private static final long MEBI = 1 << 20;
    private static final double KILO = 1e3;

    private final PacketSettings.Keys keys;
    private final PacketSpec.Compat compat;

    PacketKeys(PacketSettings.Keys keys, PacketSpec.Compat compat) {
        this.keys = keys;
        this.compat = compat;
    }

    PacketSpec on(PacketTopology topology) {
        long period = keys.samplePeriod();
        return new PacketSpec(
                topology,
                keys.transport(),
                keys.congestion(),
                switches(keys.switches(), topology),
                keys.lossRate(),
                keys.linkDown()
                        .at()
                        .map(at -> new PacketSpec.LinkDown(
                                at, keys.linkDown().a(), keys.linkDown().b())),
                period == 0 ? Optional.empty() : Optional.of(new PacketSpec.Monitor(0, Long.MAX_VALUE, period)),
                keys.traced(),
                new PathSpec(keys.ecmpSeed(), keys.spray(), keys.forwarding(), routes(keys.routes())),
                compat);
    }

    private static List<List<Integer>> routes(List<String> given) {
        List<Problem> problems = new ArrayList<>();
        List<List<Integer>> routes = new ArrayList<>();
        for (String route : given) {
            List<Integer> nodes = new ArrayList<>();
            for (String word : route.strip().split("\\s+", -1)) {
                if (!word.matches("\\d{1,9}")) {
                    problems.add(Problem.of(
                            "config error",
                            "network.packet.routes",
                            "'" + route + "' has '" + word + "', expected numbers of nodes, as in \"0 8 3\""));
                    break;
                }
                nodes.add(Integer.parseInt(word));
            }
            routes.add(nodes);
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        return routes;
    }

    private SwitchSpec switches(PacketSettings.Switches given, PacketTopology topology) {
        List<MarkThreshold> marks = new ArrayList<>();
        int count = given.markRates().size();
        if (given.markMin().size() != count || given.markMax().size() != count) {
            throw StageException.input(Problem.of(
                    "config error",
                    "network.packet.switches",
                    "mark_rates, mark_min and mark_max have " + count + ", "
                            + given.markMin().size() + " and " + given.markMax().size()
                            + " entries, expected as many of each"));
        }
        for (long rate : topology.rates()) {
            int best = -1;
            for (int i = 0; i < count; i++) {
                long known = PacketTopologyPlan.bits(given.markRates().get(i));
                if (known <= rate
                        && (best < 0
                                || known
                                        > PacketTopologyPlan.bits(
                                                given.markRates().get(best)))) {
                    best = i;
                }
            }
            if (best >= 0) {
                marks.add(new MarkThreshold(
                        rate,
                        Math.round(given.markMin().get(best) * KILO),
                        Math.round(given.markMax().get(best) * KILO),
                        given.markProbability()));
            }
        }
        return new SwitchSpec(given.buffer() * MEBI, given.headroomFactor(), given.pauses(), given.marking(), marks);
    }
}
