package dev.stagesim.sim.collective;

/**
 * Messages go round a ring, or straight to every other NPU with a window of them in flight.
 *
 * <p>The window's first packets pass the endpoint without reduction; of those that follow receipts, a round is charged
 * with it and a round is not. Packets leave in the order in which they were made, whichever passed first.
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
        boolean isDirectReduce = phase.family() == Algorithm.Family.DIRECT && phase.kind() == CollectiveKind.ALL_REDUCE;
        int others = phase.ring().size() - 1;
        if (isDirectReduce && stream.toSend <= others) {
            if (stream.got < others) {
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

    private void insert(Stream stream, Phase phase) {
        if (stream.zero == 0 && stream.nonzero == 0) {
            stream.zero = phase.window();
            stream.nonzero = phase.charged();
            stream.toggle = !stream.toggle;
        }
        stream.made++;
        if (stream.zero > 0) {
            stream.zero--;
            endpoints.out(stream, phase.message());
        } else {
            boolean isReduced = phase.kind() == CollectiveKind.REDUCE_SCATTER
                    || (phase.kind() == CollectiveKind.ALL_REDUCE && stream.toggle);
            boolean isSentBack = stream.nonzero > phase.window();
            stream.nonzero--;
            endpoints.in(stream, phase.message(), isReduced, isSentBack);
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
