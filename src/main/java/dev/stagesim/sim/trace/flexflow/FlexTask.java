package dev.stagesim.sim.trace.flexflow;

import java.util.List;

/**
 * A task of a graph.
 *
 * @param transfer where data go; {@link Transfer#NONE} for a computation
 * @param seconds time of a computation; 0 for a transfer
 * @param parents tasks that must be done before, in file order
 */
record FlexTask(long id, String name, int device, Transfer transfer, double seconds, List<Long> parents) {
    /**
     * A movement of data.
     *
     * @param bytes what is moved; -1 when nothing is, as the task is a computation
     */
    record Transfer(int source, int destination, long bytes) {
        static final Transfer NONE = new Transfer(-1, -1, -1);

        boolean touches(int npu) {
            return source == npu || destination == npu;
        }
    }

    boolean isCompute() {
        return transfer.equals(Transfer.NONE);
    }
}
