package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.PathSpec;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts the keys of the section {@code network.packet} to a network on a topology. */
record PacketKeys(PacketSettings.Keys keys, PacketSpec.Compat compat) {
    PacketSpec on(PacketTopology topology) {
        long period = keys.samplePeriod();
        return new PacketSpec(
                topology,
                keys.transport(),
                keys.congestion(),
                keys.switches().spec(topology, "network.packet"),
                keys.lossRate(),
                keys.linkDown()
                        .at()
                        .map(at -> new PacketSpec.LinkDown(
                                at, keys.linkDown().a(), keys.linkDown().b())),
                period == 0 ? Optional.empty() : Optional.of(new PacketSpec.Monitor(0, Long.MAX_VALUE, period)),
                keys.traced(),
                new PathSpec(
                        keys.routing().ecmpSeed(),
                        keys.routing().spray(),
                        keys.routing().forwarding(),
                        routes(keys.routing().routes())),
                compat);
    }

    private static List<List<Integer>> routes(List<String> given) {
        List<Problem> problems = new ArrayList<>();
        List<List<Integer>> routes = new ArrayList<>();
        for (String route : given) {
            List<Integer> nodes = new ArrayList<>();
            for (String word : route.strip().split("\\s+", -1)) {
                if (!word.matches("\\d{1,9}")) {
                    problems.add(Problem.config(
                            "network.packet.routes",
                            "'" + route + "' has '" + word + "', expected numbers of nodes, as in \"0 8 3\""));
                    break;
                }
                nodes.add(Integer.parseInt(word));
            }
            routes.add(nodes);
        }
        StageException.refuse(problems);
        return routes;
    }
}
