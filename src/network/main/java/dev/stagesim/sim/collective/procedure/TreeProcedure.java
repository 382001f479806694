package dev.stagesim.sim.collective.procedure;

import dev.stagesim.model.KeyNames;
import java.util.Optional;

/**
 * Double binary tree (Sanders et al., Parallel Computing 2009): a chunk is reduced towards the root and broadcast back;
 * chunks alternate between two trees.
 *
 * <p>The root is the last position (or the first, in the second tree). Its only child is the top of a perfect binary
 * tree of all other positions, numbered from left to right.
 */
final class TreeProcedure extends Procedure {
    TreeProcedure() {
        super("doubleBinaryTree");
    }

    @Override
    public double messages(CollectiveKind kind, int npus) {
        return 2;
    }

    @Override
    boolean isFlattened() {
        return false;
    }

    @Override
    public boolean hasShapes() {
        return true;
    }

    @Override
    public Optional<String> refusal(Placement place) {
        if (place.ring().isGroup()) {
            return Optional.of("a communicator group cannot use a double binary tree");
        }
        if (place.beyond() > 0) {
            return Optional.of("the list of algorithms ends with a double binary tree in dimension " + place.dimension()
                    + " of " + (place.dimension() + 1 + place.beyond())
                    + ", so NPUs that differ in further dimensions are not covered");
        }
        if (!place.isPowerOfTwo()) {
            return Optional.of("a double binary tree needs a power of two NPUs, and dimension " + place.dimension()
                    + " has " + place.ring().size());
        }
        return !place.isExact() || place.kind() == CollectiveKind.ALL_REDUCE
                ? Optional.empty()
                : Optional.of("a double binary tree does all-reduces only, and this is another collective: "
                        + KeyNames.constant(place.kind()).replace('_', '-'));
    }

    @Override
    public Optional<String> asymmetry(int npus) {
        return Optional.of("the NPUs of a double binary tree have different roles");
    }

    @Override
    long finalSize(Phase phase) {
        return phase.size();
    }

    @Override
    public ChunkRun begin(Phase phase, Chunk chunk) {
        return new TreeNode(phase, chunk);
    }

    /** An NPU's position in the tree: ranks, or {@link #NONE}. */
    private static final class TreeNode extends ChunkRun {
        private static final int NONE = -1;

        private final long size;
        private final int parent;
        private final int left;
        private final int right;
        private int got;
        private int passed;

        TreeNode(Phase phase, Chunk chunk) {
            super(chunk);
            this.size = phase.size();
            LogicalRing ring = phase.ring();
            int n = ring.size();
            int rank = chunk.rank();
            int position = ring.position(rank);
            // The perfect tree has labels 1 to n-1 from left to right; the root is outside.
            int shift = chunk.isSecondShape() ? 0 : 1;
            int root = chunk.isSecondShape() ? 0 : n - 1;
            int label = position + shift;
            int height = Integer.lowestOneBit(label);
            boolean isRoot = position == root;
            boolean isLeaf = !isRoot && height == 1;
            int above = label == n / 2 ? root : (label - height | 2 * height) - shift;
            int below = isRoot ? n / 2 - shift : label - height / 2 - shift;
            this.parent = isRoot ? NONE : ring.rank(rank, above);
            this.left = isLeaf ? NONE : ring.rank(rank, below);
            this.right = isRoot || isLeaf ? NONE : ring.rank(rank, label + height / 2 - shift);
        }

        private boolean isRoot() {
            return parent == NONE;
        }

        private boolean isLeaf() {
            return left == NONE;
        }

        @Override
        public void start() {
            if (isLeaf()) {
                out(size);
            } else {
                receive(left, size);
                if (!isRoot()) {
                    receive(right, size);
                }
            }
        }

        @Override
        public void received() {
            got++;
            in(size, !isLeaf(), !isLeaf() && (isRoot() || got > 1));
        }

        @Override
        public void passed() {
            passed++;
            if (isRoot()) {
                send(left, size);
                end();
            } else if (isLeaf() ? passed == 1 : passed == 2) {
                exchange(parent, parent, size);
            } else if (isLeaf()) {
                end();
            } else if (passed == 3) {
                send(left, size);
                send(right, size);
                end();
            }
        }
    }
}
