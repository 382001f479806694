package dev.stagesim.sim.collective;

/**
 * Double binary tree: whole chunks go up to a root and down again; chunks use one of two trees in turn.
 *
 * <p>The tree is a root with one child, the top of a perfect tree of all others numbered from left to right; the root is
 * the last position or the first.
 */
final class TreeProcedure implements Procedure {
    private static final int NONE = -1;

    private final Links links;
    private final Endpoints endpoints;
    private final Collectives collectives;

    TreeProcedure(Links links, Endpoints endpoints, Collectives collectives) {
        this.links = links;
        this.endpoints = endpoints;
        this.collectives = collectives;
    }

    @Override
    public void start(Stream stream) {
        Phase phase = stream.running();
        place(stream, phase);
        if (isLeaf(stream)) {
            endpoints.out(stream, phase.message());
        } else {
            links.receive(stream, stream.left, phase.message());
            if (!isRoot(stream)) {
                links.receive(stream, stream.right, phase.message());
            }
        }
    }

    @Override
    public void received(Stream stream) {
        stream.got++;
        long size = stream.running().message();
        if (isLeaf(stream)) {
            endpoints.in(stream, size, false, false);
        } else {
            endpoints.in(stream, size, true, isRoot(stream) || stream.got > 1);
        }
    }

    @Override
    public void passed(Stream stream) {
        stream.generals++;
        long size = stream.running().message();
        if (isRoot(stream)) {
            links.send(stream, stream.left, size);
            collectives.phaseEnds(stream);
        } else if (isLeaf(stream)) {
            if (stream.generals == 1) {
                links.exchange(stream, stream.parent, stream.parent, size);
            } else {
                collectives.phaseEnds(stream);
            }
        } else if (stream.generals == 2) {
            links.exchange(stream, stream.parent, stream.parent, size);
        } else if (stream.generals == 3) {
            links.send(stream, stream.left, size);
            links.send(stream, stream.right, size);
            collectives.phaseEnds(stream);
        }
    }

    private static boolean isRoot(Stream stream) {
        return stream.parent == NONE;
    }

    private static boolean isLeaf(Stream stream) {
        return stream.left == NONE;
    }

    private static void place(Stream stream, Phase phase) {
        LogicalRing ring = phase.ring();
        int n = ring.size();
        int rank = stream.npu.rank;
        // Labels 1 to n-1 from left to right in the perfect tree; the root stands outside.
        int shift = stream.isSecondShape() ? 0 : 1;
        int root = stream.isSecondShape() ? 0 : n - 1;
        stream.right = NONE;
        if (stream.position == root) {
            stream.parent = NONE;
            stream.left = ring.rank(rank, n / 2 - shift);
            return;
        }
        int label = stream.position + shift;
        int height = Integer.lowestOneBit(label);
        stream.parent = label == n / 2 ? ring.rank(rank, root) : ring.rank(rank, (label - height | 2 * height) - shift);
        if (height == 1) {
            stream.left = NONE;
        } else {
            stream.left = ring.rank(rank, label - height / 2 - shift);
            stream.right = ring.rank(rank, label + height / 2 - shift);
        }
    }
}
