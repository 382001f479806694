package dev.stagesim.sim.network.packet.state;

import dev.stagesim.sim.network.packet.topology.TxTimes;
import java.util.Arrays;

/** Rate control of the flows at their senders. This base class never changes a rate. */
public class RateControl {
    /** Number of timers per flow. */
    static final int TIMERS = 3;

    /** Starts a flow at the rate of its port. */
    public void start(int flow) {}

    /** Handles an acknowledgement after it was counted; the flow may have completed with it. */
    public void acknowledged(int flow, int packet) {}

    /** Ends a flow. */
    public void complete(int flow) {}

    /** Handles a due timer; {@code stamp} identifies the timer among all timers of the flow. */
    public void timer(int timer, int flow, long stamp) {}

    /**
     * A rate control with state per flow.
     *
     * @param <S> state of one flow
     */
    public abstract static class PerFlow<S> extends RateControl {
        public final State state;
        public final Flows flows;
        private final FlowQueues queues;
        private Object[] senders = new Object[64];

        protected PerFlow(State state, FlowQueues queues) {
            this.state = state;
            this.flows = state.flows;
            this.queues = queues;
        }

        /** Creates the state of a flow that starts at this rate. */
        protected abstract S sender(long rate);

        protected abstract void acknowledged(S sender, int flow, int packet);

        @SuppressWarnings("unchecked") // only start stores elements
        protected final S of(int flow) {
            return (S) senders[flow];
        }

        @Override
        public final void start(int flow) {
            if (flow >= senders.length) {
                senders = Arrays.copyOf(senders, 2 * flow);
            }
            senders[flow] = sender(flows.rate[flow]);
        }

        @Override
        public final void acknowledged(int flow, int packet) {
            acknowledged(of(flow), flow, packet);
        }

        /** Schedules a timer and returns its stamp. */
        protected final long plan(long delay, int timer, int flow) {
            state.counters.periodic++;
            return state.heap.plan(state.now + delay, (State.TIMER + (timer << State.INDEX_BITS)) | flow);
        }

        /** Changes the rate of a flow. The new rate also applies to the last frame sent. */
        protected final void change(int flow, long rate) {
            int size = flows.lastSize[flow];
            long moved = flows.nextAllowed[flow] + TxTimes.of(size, rate) - TxTimes.of(size, flows.rate[flow]);
            flows.nextAllowed[flow] = moved;
            queues.wakeEarlier(flows.port[flow], moved);
            flows.rate[flow] = rate;
        }
    }
}
