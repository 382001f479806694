package dev.stagesim.sim.collective.procedure;

/** State of one chunk in one phase on one NPU. */
public abstract class ChunkRun {
    private final Chunk chunk;

    public ChunkRun(Chunk chunk) {
        this.chunk = chunk;
    }

    protected final int rank() {
        return chunk.rank();
    }

    public abstract void start();

    /** A message of the chunk has arrived. */
    public void received() {
        throw new IllegalStateException("no message was expected");
    }

    /** A packet of the chunk has passed its endpoint. */
    public void passed() {
        throw new IllegalStateException("no packet was at the endpoint");
    }

    /** A node of the chunk's custom trace has completed. */
    public void nodeDone(int node) {
        throw new IllegalStateException("no custom collective runs");
    }

    /** Sends a packet to the endpoint. */
    protected final void out(long size) {
        chunk.out(size);
    }

    /** Passes a received packet to the endpoint, which may reduce it. */
    protected final void in(long size, boolean isReduced, boolean isSentBack) {
        chunk.in(size, isReduced, isSentBack);
    }

    protected final void send(int to, long size) {
        chunk.send(to, size);
    }

    protected final void receive(int from, long size) {
        chunk.receive(from, size);
    }

    protected final void exchange(int to, int from, long size) {
        send(to, size);
        receive(from, size);
    }

    /** Ends the phase. */
    protected final void end() {
        chunk.endPhase();
    }

    /**
     * A run of packets. Each received packet triggers the next one.
     *
     * <p>The first packets of the window pass the endpoint without reduction. Packets that follow a receipt are charged
     * a reduction; in the reference, charged and free rounds alternate. Packets leave in the order of their creation,
     * whichever passes the endpoint first, so two counters suffice to represent the waiting packets.
     */
    abstract static class Packets extends ChunkRun {
        final Phase phase;
        final int window;
        private final int charged;
        private int zero;
        private int nonzero;
        private boolean toggle;
        private int free;
        private int made;
        int toSend;
        private int popped;
        int got;
        int passed;

        /** Bytes of the last packet created, and bytes reduced before it. */
        long ready;

        long arrived;

        /**
         * @param window messages in flight
         * @param sends messages that the NPU sends
         * @param charged receipts per round that are reduced, after the free ones
         */
        Packets(Phase phase, Chunk chunk, int window, int sends, int charged) {
            super(chunk);
            this.phase = phase;
            this.window = window;
            this.charged = charged;
            this.toSend = sends;
        }

        /** Prepares the next packet; sets {@link #ready} and {@link #arrived} if they vary. */
        void prepare() {}

        /** True if an all-reduce still reduces its receipts. */
        abstract boolean isReducing();

        /** Sends a packet, counted from 0. */
        abstract void send(int packet);

        /** Number of packets that may leave after one has passed. */
        int turns() {
            return 1;
        }

        final boolean isWaiting() {
            return made > popped;
        }

        @Override
        public final void start() {
            for (int i = window; i > 0; i--) {
                insert();
            }
        }

        @Override
        public final void received() {
            got++;
            insert();
        }

        private void insert() {
            if (zero == 0 && nonzero == 0) {
                zero = window;
                nonzero = charged;
                toggle = !toggle;
            }
            prepare();
            made++;
            boolean isInRound = zero == 0;
            boolean isSentBack = isInRound && nonzero > window;
            if (isInRound) {
                nonzero--;
            } else {
                zero--;
            }
            if (phase.isExact() ? got > 0 : isInRound) {
                boolean isReduced = phase.kind() == CollectiveKind.REDUCE_SCATTER
                        || (phase.kind() == CollectiveKind.ALL_REDUCE && (phase.isExact() ? isReducing() : toggle));
                in(phase.isExact() ? arrived : ready, isReduced, isSentBack);
            } else {
                out(ready);
            }
        }

        @Override
        public final void passed() {
            free++;
            passed++;
            for (int i = turns(); i > 0 && isWaiting() && toSend > 0 && free > 0; i--) {
                toSend--;
                free--;
                send(popped++);
            }
            if (toSend == 0 && free == window) {
                end();
            }
        }
    }
}
