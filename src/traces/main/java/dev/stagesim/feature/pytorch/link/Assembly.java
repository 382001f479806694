package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.HostOp;
import dev.stagesim.feature.pytorch.trace.HostTrace;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creates the nodes of a linked trace. */
final class Assembly {
    private final HostTrace host;
    private final int[] hostOrder;
    private final DeviceTrace device;
    private final int[] eventOf;
    private final double[] exclusive;
    private final long[] interThread;
    private final Ids ids;

    /**
     * @param hostOrder host operators by ascending id
     * @param eventOf event of each host operator, or -1
     * @param exclusive exclusive time of each event
     * @param interThread original id of the operator that each host operator waits for
     */
    Assembly(
            HostTrace host,
            int[] hostOrder,
            DeviceTrace device,
            int[] eventOf,
            double[] exclusive,
            long[] interThread) {
        this.host = host;
        this.hostOrder = hostOrder;
        this.device = device;
        this.eventOf = eventOf;
        this.exclusive = exclusive;
        this.interThread = interThread;
        ids = new Ids(hostOrder.length);
    }

    List<PlusNode> build(LinkStrategy links) {
        List<PlusNode> nodes = new ArrayList<>(hostOrder.length * 2);
        for (int i = 0; i < hostOrder.length; i++) {
            PlusNode node = hostNode(i);
            links.hostPlaced(i, node.id());
            nodes.add(node);
            for (int event : links.launchedBy(i)) {
                PlusNode launched = deviceNode(node, event, links.group(event));
                links.devicePlaced(event, launched.id(), ids);
                nodes.add(launched);
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            PlusNode node = nodes.get(i);
            long[] after = links.after(node.id(), ids);
            PlusNode placed = node.parent() == OpFacts.NONE ? node : node.withParent(ids.of(node.parent()));
            nodes.set(i, after.length == 0 ? placed : placed.withAfter(after));
        }
        return nodes;
    }

    private PlusNode hostNode(int position) {
        HostOp op = host.ops().get(hostOrder[position]);
        long id = ids.of(op.id());
        int event = eventOf[position];
        Optional<PlusNode.Times> times = event < 0
                ? Optional.empty()
                : Optional.of(new PlusNode.Times(device.start(event), device.duration(event), exclusive[event]));
        long awaited = interThread[position] == OpFacts.NONE ? OpFacts.NONE : ids.known(interThread[position]);
        return new PlusNode(id, op.parent(), op.name(), op, times, awaited, PlusNode.NOTHING, Optional.empty(), "");
    }

    private PlusNode deviceNode(PlusNode launcher, int event, String group) {
        CommFacts seen = device.comm(event);
        return new PlusNode(
                ids.fresh(),
                launcher.op().id(),
                device.name(event),
                launcher.op(),
                Optional.of(new PlusNode.Times(device.start(event), device.duration(event), device.duration(event))),
                launcher.interThread(),
                PlusNode.NOTHING,
                Optional.of(new PlusNode.DeviceSide(
                        device.kind(event).label(),
                        "X",
                        device.stream(event),
                        device.device(event),
                        seen == null ? CommFacts.NONE : seen)),
                group);
    }
}
