package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** How senders set the rates of their flows; this one never changes them. */
class RateControl {
    /** Timers that a flow may have. */
    static final int TIMERS = 3;

    /** A flow starts; its rate is that of its port. */
    void start(int flow) {}

    /** An acknowledgement of a flow has been counted; the flow may be complete by it. */
    void acknowledged(int flow, int packet) {}

    /** A flow is complete. */
    void complete(int flow) {}

    /** A timer of a flow is due; {@code stamp} tells it from others that were planned for it. */
    void timer(int timer, int flow, long stamp) {}

    /**
     * A control that remembers something of each flow.
     *
     * @param <S> what it remembers
     */
    abstract static class PerFlow<S> extends RateControl {
        final State state;
        final Flows flows;
        private final FlowQueues queues;
        private Object[] senders = new Object[64];

        PerFlow(State state, FlowQueues queues) {
            this.state = state;
            this.flows = state.flows;
            this.queues = queues;
        }

        /** What is known of a flow that starts at this rate. */
        abstract S sender(long rate);

        abstract void acknowledged(S sender, int flow, int packet);

        @SuppressWarnings("unchecked") // start alone puts something there
        final S of(int flow) {
            return (S) senders[flow];
        }

        @Override
        final void start(int flow) {
            if (flow >= senders.length) {
                senders = Arrays.copyOf(senders, 2 * flow);
            }
            senders[flow] = sender(flows.rate[flow]);
        }

        @Override
        final void acknowledged(int flow, int packet) {
            acknowledged(of(flow), flow, packet);
        }

        /** Plans a timer and returns its stamp. */
        final long plan(long delay, int timer, int flow) {
            state.counters.periodic++;
            return state.heap.plan(state.now + delay, (State.TIMER + (timer << State.INDEX_BITS)) | flow);
        }

        /** Gives a flow a new rate that holds for the frame it sent last as well. */
        final void change(int flow, long rate) {
            int size = flows.lastSize[flow];
            long moved = flows.nextAllowed[flow] + TxTimes.of(size, rate) - TxTimes.of(size, flows.rate[flow]);
            flows.nextAllowed[flow] = moved;
            queues.wakeEarlier(flows.port[flow], moved);
            flows.rate[flow] = rate;
        }
    }
}
