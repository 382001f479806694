package dev.stagesim.sim.collective;

/**
 * Messages go round a ring, or straight to every other NPU with a window of them in flight.
 *
 * <p>The window's first packets pass the endpoint without reduction; those that follow receipts of a reduction are
 * charged with it, in the reference by rounds: one is and one is not. Packets leave in the order in which they were made,
 * whichever passed first.
 */
final class RingProcedure implements Procedure {
    private final Links links;
    private final Endpoints endpoints;
    private final Collectives collectives;

    RingProcedure(Links links, Endpoints endpoints, Collectives collectives) {
        this.links = links;
        this.endpoints = endpoints;
        this.collectives = collectives;
    }

    @Override
    public void start(Stream stream) {
        Phase phase = stream.running();
        stream.toSend = phase.sends();
        for (int i = phase.window(); i > 0; i--) {
            insert(stream, phase);
        }
    }

    @Override
    public void received(Stream stream) {
        stream.got++;
        insert(stream, stream.running());
    }

    @Override
    public void passed(Stream stream) {
        Phase phase = stream.running();
        stream.free++;
        stream.generals++;
        boolean isDirectReduce = phase.family() == Algorithm.Family.DIRECT && phase.kind() == CollectiveKind.ALL_REDUCE;
        int others = phase.ring().size() - 1;
        if (isDirectReduce && stream.toSend <= others) {
            if (isIncomplete(stream, phase, others)) {
                return;
            }
            for (int i = phase.window(); i > 0; i--) {
                act(stream, phase);
            }
        } else {
            act(stream, phase);
        }
        if (stream.toSend == 0 && stream.free == phase.window()) {
            collectives.phaseEnds(stream);
        }
    }

    /** Whether something is still to be reduced before the result may go out; the reference asks for its arrival only. */
    private static boolean isIncomplete(Stream stream, Phase phase, int others) {
        return phase.isExact() ? stream.generals < phase.window() + others : stream.got < others;
    }

    private void insert(Stream stream, Phase phase) {
        if (stream.zero == 0 && stream.nonzero == 0) {
            stream.zero = phase.window();
            stream.nonzero = phase.charged();
            stream.toggle = !stream.toggle;
        }
        stream.made++;
        boolean isInRound = stream.zero == 0;
        boolean isSentBack = isInRound && stream.nonzero > phase.window();
        if (isInRound) {
            stream.nonzero--;
        } else {
            stream.zero--;
        }
        boolean isReceipt = phase.isExact() ? stream.got > 0 : isInRound;
        if (isReceipt) {
            boolean isReducing = phase.isExact() ? stream.got < phase.ring().size() : stream.toggle;
            boolean isReduced = phase.kind() == CollectiveKind.REDUCE_SCATTER
                    || (phase.kind() == CollectiveKind.ALL_REDUCE && isReducing);
            endpoints.in(stream, phase.message(), isReduced, isSentBack);
        } else {
            endpoints.out(stream, phase.message());
        }
    }

    private void act(Stream stream, Phase phase) {
        if (stream.made == stream.popped || stream.toSend == 0 || stream.free == 0) {
            return;
        }
        int steps = 1;
        if (phase.family() == Algorithm.Family.DIRECT) {
            steps += stream.popped % (phase.ring().size() - 1);
        }
        stream.popped++;
        stream.toSend--;
        stream.free--;
        int ahead = stream.direction * steps;
        links.exchange(stream, peer(stream, phase, ahead), peer(stream, phase, -ahead), phase.message());
    }

    private static int peer(Stream stream, Phase phase, int ahead) {
        int n = phase.ring().size();
        int position = stream.position + ahead;
        if (position >= n) {
            position -= n;
        } else if (position < 0) {
            position += n;
        }
        return phase.ring().rank(stream.npu.rank, position);
    }
}
