package dev.stagesim.sim.network.packet;

/** Gives a flow a new rate that holds for the frame it sent last as well. */
final class RateChange {
    private final State state;
    private final FlowQueues queues;

    RateChange(State state, FlowQueues queues) {
        this.state = state;
        this.queues = queues;
    }

    void to(int flow, long rate) {
        Flows flows = state.flows;
        int size = flows.lastSize[flow];
        long moved = flows.nextAllowed[flow] + TxTimes.of(size, rate) - TxTimes.of(size, flows.rate[flow]);
        flows.nextAllowed[flow] = moved;
        queues.wakeEarlier(flows.port[flow], moved);
        flows.rate[flow] = rate;
    }
}
