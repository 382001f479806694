package dev.stagesim.sim.collective;

/** One chunk in one phase on one NPU, with all that it has to remember meanwhile. */
abstract class Run {
    final Stream stream;
    private final Collectives collectives;

    Run(Stream stream, Collectives collectives) {
        this.stream = stream;
        this.collectives = collectives;
    }

    abstract void start();

    /** A message that the chunk waited for is there. */
    void received() {
        throw new IllegalStateException("no message was to be received");
    }

    /** A packet of the chunk has passed its endpoint. */
    void passed() {
        throw new IllegalStateException("no packet was at the endpoint");
    }

    /** A node of the chunk's own trace is complete. */
    void nodeDone(int node) {
        throw new IllegalStateException("no custom collective runs");
    }

    /** A packet starts out to the endpoint. */
    final void out(long size) {
        collectives.endpoints().out(stream, size);
    }

    /** A packet goes to the endpoint after a receipt, which it reduces first or not. */
    final void in(long size, boolean isReduced, boolean isSentBack) {
        collectives.endpoints().in(stream, size, isReduced, isSentBack);
    }

    final void send(int to, long size) {
        collectives.links().send(stream, to, size);
    }

    final void receive(int from, long size) {
        collectives.links().receive(stream, from, size);
    }

    final void exchange(int to, int from, long size) {
        send(to, size);
        receive(from, size);
    }

    /** The phase is over. */
    final void end() {
        collectives.phaseEnds(stream);
    }

    /**
     * A run of packets that are made, and sent, one after another: each that is received makes the next.
     *
     * <p>The window's first packets pass the endpoint without reduction; those that follow receipts of a reduction are
     * charged with it, in the reference by rounds: one is and one is not. Packets leave in the order in which they were made,
     * whichever passed first, so that two counters say which are waiting.
     */
    abstract static class Packets extends Run {
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

        /** Bytes of the packet that was made last, and bytes that are reduced before it. */
        long ready;

        long arrived;

        /**
         * @param window messages in flight
         * @param sends messages that the NPU sends
         * @param charged receipts in a round that pass the bus with the reduction, after the first ones that do not
         */
        Packets(Phase phase, Stream stream, Collectives collectives, int window, int sends, int charged) {
            super(stream, collectives);
            this.phase = phase;
            this.window = window;
            this.charged = charged;
            this.toSend = sends;
        }

        /** Makes a packet, and sets {@link #ready} and {@link #arrived} where they vary. */
        void prepare() {}

        /** Whether an all-reduce still reduces what it got. */
        abstract boolean isReducing();

        /** Sends a packet, counted from 0. */
        abstract void send(int packet);

        /** How many packets may leave now that one has passed. */
        int turns() {
            return 1;
        }

        final boolean isWaiting() {
            return made > popped;
        }

        @Override
        final void start() {
            for (int i = window; i > 0; i--) {
                insert();
            }
        }

        @Override
        final void received() {
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
        final void passed() {
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
